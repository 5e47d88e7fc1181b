import { setImmediate } from 'node:timers/promises'

/** The number of items for which `forEachInTurns` works in one iteration of the event loop. */
const itemsPerTurn = 5

/** Works for each item, a few in each iteration of the event loop, so that calls are handled in between. */
export async function forEachInTurns<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void,
): Promise<void> {
  let done = 0
  for (const item of items) {
    work(item)
    done += 1
    if (done % itemsPerTurn === 0) await setImmediate()
  }
}

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
