import type { RateLimiter, RateLimitWindows } from './rate-limiter.ts'

/** A probe goes the same way as a request, under a name that no client has. */
const probe: readonly [string, RateLimitWindows] = [
  'probe',
  [{ name: 'probe', limit: 1, period: 1 }],
]

/**
 * Counts in `shared`, and in `local` while `shared` fails. The first failure says so; from then on
 * no request waits for `shared`: a probe every `retryEvery` milliseconds finds out when it is back.
 */
export function createFallbackRateLimiter({
  shared,
  local,
  retryEvery = 1000,
  onDegraded,
  onRecovered,
}: {
  shared: RateLimiter
  local: RateLimiter
  retryEvery?: number
  onDegraded: (reason: unknown) => void
  onRecovered: () => void
}): RateLimiter {
  let degraded = false
  let closed = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const recover = async () => {
    try {
      await shared.take(...probe)
    } catch {
      probeLater()
      return
    }
    if (closed) return
    degraded = false
    onRecovered()
  }
  const probeLater = () => {
    if (!closed) timer = setTimeout(recover, retryEvery).unref()
  }
  const degrade = (reason: unknown) => {
    if (degraded || closed) return
    degraded = true
    probeLater()
    onDegraded(reason)
  }

  return {
    async take(client, windows) {
      if (!degraded) {
        try {
          return await shared.take(client, windows)
        } catch (reason) {
          degrade(reason)
        }
      }
      return local.take(client, windows)
    },
    get degraded() {
      return degraded
    },
    async close() {
      closed = true
      clearTimeout(timer)
      await Promise.all([shared.close(), local.close()])
    },
  }
}
