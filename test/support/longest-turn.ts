import { expectOk } from './outcome.ts'
import type { Outcome } from './transports.ts'

/** How long a call may hold the event loop, in milliseconds of processor time. */
export const maxTurn = 20

/**
 * Measures the processor time of the longest turn of the event loop during a call, and of all of them, in
 * milliseconds of this thread alone.
 */
export async function measureTurns(
  call: () => Promise<unknown>,
): Promise<{ longest: number; total: number }> {
  let longest = 0
  let total = 0
  let isRunning = true
  let last = process.threadCpuUsage()
  const measureTurn = () => {
    const { user, system } = process.threadCpuUsage(last)
    const milliseconds = (user + system) / 1_000
    longest = Math.max(longest, milliseconds)
    total += milliseconds
    last = process.threadCpuUsage()
    if (isRunning) setImmediate(measureTurn)
  }
  setImmediate(measureTurn)
  await call()
  isRunning = false
  measureTurn()
  return { longest, total }
}

/**
 * Measures the longest turn during a call. Repeats a call with a long turn: it may have computed the classes of
 * Unicode, or collected garbage of earlier calls.
 */
export async function measureLongestTurn(
  call: () => Promise<Outcome>,
  attempts = 3,
): Promise<number> {
  const { longest } = await measureTurns(async () => expectOk(await call()))
  return longest > maxTurn && attempts > 1 ? measureLongestTurn(call, attempts - 1) : longest
}
