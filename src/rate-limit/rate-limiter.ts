/** What one sliding window allows: `limit` requests of a client in any `period` seconds. */
export type RateLimitWindow = {
  /** What is limited: a method, or everything. A name always goes with the same period. */
  readonly name: string
  readonly limit: number
  readonly period: number
}

/**
 * The answer to one request, in terms of the window that binds: when refused the one that frees
 * last, when allowed the one with the fewest places left, in a tie the earlier.
 */
export type RateLimitResult = RateLimitWindow & {
  readonly allowed: boolean
  /** Places left in the window, after this request. */
  readonly remaining: number
  /** Whole seconds, rounded up, until the window frees a place. */
  readonly reset: number
  /** When refused the same as `reset`, at least 1; when allowed 0. */
  readonly retryAfter: number
}

/** The windows of one `take`: at least one, no name twice. */
export type RateLimitWindows = readonly [RateLimitWindow, ...RateLimitWindow[]]

/** Counts the requests of clients in sliding windows. */
export type RateLimiter = {
  /**
   * Asks for a place in every one of the windows.
   *
   * At most `limit` requests are accepted in any interval of `period` seconds, wherever it starts;
   * a place is free again exactly `period` seconds after it was taken.
   * The decision is atomic: of limit + 1 requests in parallel exactly `limit` are allowed.
   * It is all or nothing: where one window refuses, nothing is counted in any of them.
   * A refused request is not counted, so insisting does not prolong the refusal.
   * Who waits `retryAfter` seconds is allowed, if nobody took the place meanwhile.
   * Clients do not share windows, and neither do names.
   * It rejects only where the counts can't be reached; whether it was counted is unknown then.
   */
  take(client: string, windows: RateLimitWindows): Promise<RateLimitResult>

  /** True while requests are counted in this process because the shared counts fail. */
  readonly degraded: boolean

  /** Lets go of connections and timers; nothing is taken afterwards. */
  close(): Promise<void>
}
