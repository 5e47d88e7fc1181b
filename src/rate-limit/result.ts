import type { RateLimitResult, RateLimitWindows } from './rate-limiter.ts'

/** A window after a request: the places taken, and the microseconds until one of them frees. */
export type WindowState = { readonly taken: number; readonly wait: number }

/** Says what the standings of the windows, in the same order, mean for the client. */
export function summarize(
  windows: RateLimitWindows,
  standings: readonly WindowState[],
  allowed: boolean,
): RateLimitResult {
  const rows = windows.map((window, index) => {
    const { taken, wait } = standings[index] as WindowState
    return { window, left: Math.max(0, window.limit - taken), wait }
  })
  const binding = allowed
    ? rows.reduce((least, row) => (row.left < least.left ? row : least))
    : rows
        .filter((row) => row.left === 0)
        .reduce((last, row) => (row.wait > last.wait ? row : last))
  const { name, limit, period } = binding.window
  const reset = Math.ceil(binding.wait / 1e6)
  return {
    name,
    limit,
    period,
    allowed,
    remaining: allowed ? binding.left : 0,
    reset,
    retryAfter: allowed ? 0 : reset,
  }
}
