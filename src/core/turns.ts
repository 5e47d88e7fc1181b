import { AsyncResource } from 'node:async_hooks'
import { setImmediate as nextPhase } from 'node:timers/promises'

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
    if (done % itemsPerTurn === 0) await nextTurn()
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
    last = last.then(nextTurn)
    return last
  }
}

/** Lets the event loop turn, so that calls are handled before the work goes on. */
export async function nextTurn(): Promise<void> {
  await nextPhase()
}

/** How long `inTurn` may hold the event loop before it lets it turn, in milliseconds. */
const maxStretch = 2

/** How long work has held the event loop since it was last let turn. */
let stretch = 0

/** The work that waits for the event loop to turn, the oldest first. Empty while `stretch` is short. */
const waiting: (() => void)[] = []

/**
 * Does a piece of work at once, or once the event loop has turned if all such work has held it for
 * a while, in the order of the calls. A promise means that it waits: the usual case costs no promise.
 */
export function inTurn<Result>(work: () => Result): Result | Promise<Result> {
  if (stretch < maxStretch) return measure(work)
  return new Promise((resolve, reject) => {
    if (waiting.length === 0) setImmediate(workInTurn)
    // It would otherwise run in the request whose work began to wait first.
    const run = AsyncResource.bind(() => {
      try {
        resolve(measure(work))
      } catch (error) {
        reject(error)
      }
    })
    waiting.push(run)
  })
}

/** Maps items one by one, and lets the event loop turn where that takes a while. */
export async function mapInTurns<Item, Result>(
  items: readonly Item[],
  map: (item: Item, index: number) => Result,
): Promise<Result[]> {
  const results: Result[] = []
  for (const [index, item] of items.entries()) {
    const result = inTurn(() => map(item, index))
    results.push(result instanceof Promise ? await result : result)
  }
  return results
}

function measure<Result>(work: () => Result): Result {
  const begun = performance.now()
  try {
    return work()
  } finally {
    stretch += performance.now() - begun
  }
}

function workInTurn(): void {
  stretch = 0
  while (waiting.length > 0 && stretch < maxStretch) waiting.shift()?.()
  if (waiting.length > 0) setImmediate(workInTurn)
}
