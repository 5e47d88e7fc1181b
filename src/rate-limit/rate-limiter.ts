/** A sliding window: at most `limit` requests per client in any `period` seconds. */
export type RateLimitWindow = {
  /**
   * The name of what is limited: a method, or all routes. Windows with the same name must have the
   * same period.
   */
  readonly name: string
  /** The maximum number of requests per period. */
  readonly limit: number
  /** In seconds. */
  readonly period: number
}

/**
 * The outcome of a request, described by its most restrictive window: if the request is rejected,
 * the full window that takes longest to admit another request; if it is allowed, the window with
 * the fewest remaining requests. In a tie, it is the first of them.
 */
export type RateLimitResult = RateLimitWindow & {
  readonly allowed: boolean
  /** The number of requests that the window still admits. */
  readonly remaining: number
  /** Seconds until the window admits one more request than now, rounded up. */
  readonly reset: number
  /** Seconds after which a rejected request can be repeated, at least 1; 0 if it is allowed. */
  readonly retryAfter: number
}

/** The windows that apply to a request: at least one, each name at most once. */
export type RateLimitWindows = readonly [RateLimitWindow, ...RateLimitWindow[]]

/** Counts requests of clients in sliding windows. */
export type RateLimiter = {
  /**
   * Counts a request in each of the windows, or rejects it.
   *
   * - In any interval of `period` seconds, at most `limit` requests are allowed. A request stops
   *   counting exactly `period` seconds after it was allowed.
   * - The decision is atomic: of limit + 1 concurrent requests, exactly `limit` are allowed.
   * - If any window is full, the request counts in none, so retrying does not extend the wait.
   * - Clients are counted separately, and so are window names.
   *
   * @throws if the counts are unavailable. The request may have been counted or not.
   */
  take(client: string, windows: RateLimitWindows): Promise<RateLimitResult>

  /** Whether requests are counted in this process because the shared counts are unavailable. */
  readonly degraded: boolean

  /** Closes connections and timers. Do not call `take` afterwards. */
  close(): Promise<void>
}
