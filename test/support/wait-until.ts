import { setTimeout as sleep } from 'node:timers/promises'

/** In milliseconds. Generous, because tests also run on busy machines. */
const timeLimit = 120_000

/**
 * Waits until a condition is true.
 *
 * @throws Error after two minutes
 */
export async function waitUntil(condition: () => boolean | Promise<boolean>): Promise<void> {
  const deadline = performance.now() + timeLimit
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`Not true within two minutes: ${condition}`)
    await sleep(10)
  }
}
