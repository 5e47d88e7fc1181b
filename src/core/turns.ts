import { setImmediate } from 'node:timers/promises'

/** Resolves when it is the turn of the caller. */
export type TakeTurn = () => Promise<void>

/**
 * Creates turns for work that many begin at the same time: one of them begins in each iteration of
 * the event loop, so that calls are handled in between.
 */
export function createTurns(): TakeTurn {
  let last: Promise<void> = Promise.resolve()
  return () => {
    last = last.then(() => setImmediate())
    return last
  }
}
