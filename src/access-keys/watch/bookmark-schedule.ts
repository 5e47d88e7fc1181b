/** Where a stream is. */
export type Progress = {
  /** Everything before this transaction has been sent. */
  position: string
  /** Whether the first copy is being sent. */
  isFilling: boolean
  /** Whether records have been read in part, so that the position can't advance yet. */
  hasMore: boolean
}

/** Milliseconds between bookmarks while there is progress, and without. */
type Intervals = { progress: number; bookmark: number }

/** Decides when a stream sends a bookmark. */
export class BookmarkSchedule {
  readonly #intervals: Intervals
  #last = Number.NEGATIVE_INFINITY
  #lastPosition: string | undefined
  #isRequested = false

  constructor(intervals: Intervals) {
    this.#intervals = intervals
  }

  /** Asks for a bookmark as soon as the position can advance. */
  request(): void {
    this.#isRequested = true
  }

  isDue({ position, isFilling, hasMore }: Progress): boolean {
    if (this.#isRequested && !hasMore) return true
    const age = performance.now() - this.#last
    const hasAdvanced = isFilling || position !== this.#lastPosition
    return age >= this.#intervals[hasAdvanced ? 'progress' : 'bookmark']
  }

  /** Notes that a bookmark was sent. */
  add({ position, hasMore }: Progress): void {
    this.#last = performance.now()
    this.#lastPosition = position
    this.#isRequested &&= hasMore
  }
}
