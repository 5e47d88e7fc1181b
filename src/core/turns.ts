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

/** How long work in steps may hold the event loop at a stretch, in milliseconds. */
const maxStretch = 5

const takeTurn = createTurns()

/** How long all work in steps has held the event loop since it last turned. */
let stretch = 0

/**
 * Runs work that yields between its steps, and lets the event loop turn where all such work has held
 * it for a while. Work that takes less never waits, and work of one step does not read the clock.
 */
export async function runInTurns<Result>(work: Iterator<void, Result, void>): Promise<Result> {
  const first = work.next()
  if (first.done) return first.value
  for (;;) {
    const begun = performance.now()
    const step = work.next()
    if (stretch === 0) globalThis.setImmediate(endStretch)
    stretch += performance.now() - begun
    if (step.done) return step.value
    if (stretch < maxStretch) continue
    await takeTurn()
    endStretch()
  }
}

/** Maps items one by one, and lets the event loop turn where that takes a while. */
export function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const work = function* () {
    const results: Result[] = []
    for (const [index, item] of items.entries()) {
      if (index > 0) yield
      results.push(map(item, index))
    }
    return results
  }
  return runInTurns(work())
}

function endStretch(): void {
  stretch = 0
}
