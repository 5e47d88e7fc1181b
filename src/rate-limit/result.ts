import type { RateLimitResult, RateLimitWindows } from './rate-limiter.ts'

/** The state of a window after a request. */
export type WindowState = {
  /** The number of requests that are counted. */
  readonly count: number
  /** Microseconds until the window admits one more request. */
  readonly wait: number
}

/** Summarizes the states of the windows, in the same order, as the result of a request. */
export function summarize(
  windows: RateLimitWindows,
  states: readonly WindowState[],
  allowed: boolean,
): RateLimitResult {
  const rows = windows.map((window, index) => {
    const { count, wait } = states[index] as WindowState
    return { window, remaining: Math.max(0, window.limit - count), wait }
  })
  const { window, remaining, wait } = allowed
    ? rows.reduce((least, row) => (row.remaining < least.remaining ? row : least))
    : rows
        .filter((row) => row.remaining === 0)
        .reduce((longest, row) => (row.wait > longest.wait ? row : longest))
  const reset = Math.ceil(wait / 1e6)
  return {
    name: window.name,
    limit: window.limit,
    period: window.period,
    allowed,
    remaining: allowed ? remaining : 0,
    reset,
    retryAfter: allowed ? 0 : reset,
  }
}
