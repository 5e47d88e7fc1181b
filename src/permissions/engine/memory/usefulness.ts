/** Decides which queries use a memory. */
export type Usefulness = {
  /** Whether the next query should neither look into the memory nor be remembered. */
  skips(): boolean
  /** Records whether a query that was not skipped was answered from memory. */
  record(isHit: boolean): void
}

/** The number of queries after which the memory is judged again, while all or few of them use it. */
const judgedQueries = { used: 1024, skipped: 128 }

/** While the memory is skipped, one of this many queries uses it. */
const skippedInterval = 8

/** The share of hits from which on a memory saves more than it costs. */
const minHits = 0.05

/**
 * Skips a memory that is too small for the questions, or new: most queries then do without it, and the
 * others show when it has become useful.
 * See docs/decisions/memory.md#a-memory-that-answers-less-than-one-query-in-twenty.
 */
export function createUsefulness(): Usefulness {
  let isUsed = true
  let queries = 0
  let hits = 0
  let skipped = 0
  return {
    skips() {
      if (isUsed) return false
      skipped = (skipped + 1) % skippedInterval
      return skipped !== 0
    },
    record(isHit) {
      queries += 1
      if (isHit) hits += 1
      if (queries < (isUsed ? judgedQueries.used : judgedQueries.skipped)) return
      isUsed = hits >= queries * minHits
      queries = 0
      hits = 0
    },
  }
}
