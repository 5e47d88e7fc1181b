import { setTimeout as sleep } from 'node:timers/promises'
import { CallFailed, type Rotation } from './rotation.ts'

/** Rounds of calls that continue until stopped. */
export type Worker = { readonly rounds: number; stop(): Promise<void> }

/** Repeats rounds. A round ends early if one of its calls fails. */
export function startWorker(
  { count }: Pick<Rotation, 'count'>,
  name: string,
  round: () => Promise<void>,
): Worker {
  let isRunning = true
  let rounds = 0
  const work = async () => {
    while (isRunning) {
      try {
        await round()
        rounds += 1
      } catch (error) {
        if (!(error instanceof CallFailed)) count(`${name}: ${error}`, { isNew: true })
      }
      await sleep(20)
    }
  }
  const done = work()
  return {
    get rounds() {
      return rounds
    },
    async stop() {
      isRunning = false
      await done
    },
  }
}
