import type { RateLimiter, RateLimitWindows } from './rate-limiter.ts'

const probeClient = 'probe'
const probeWindows: RateLimitWindows = [{ name: 'probe', limit: 1, period: 1 }]

/**
 * Creates a rate limiter that counts in `shared`, or in `local` while `shared` fails. `shared` is
 * probed at the start, so that an outage is reported before the first request. After the first
 * failure, no request waits for `shared`, which is probed until it works again.
 */
export function createFallbackRateLimiter({
  shared,
  local,
  probeInterval = 1000,
  onDegraded,
  onRecovered,
}: {
  shared: RateLimiter
  local: RateLimiter
  /** In milliseconds. */
  probeInterval?: number
  /** Called once per outage, with the error of the first failed request or probe. */
  onDegraded: (error: unknown) => void
  onRecovered: () => void
}): RateLimiter {
  let degraded = false
  let isClosed = false
  let timer: ReturnType<typeof setTimeout> | undefined

  const probe = async () => {
    try {
      await shared.take(probeClient, probeWindows)
    } catch {
      scheduleProbe()
      return
    }
    if (isClosed) return
    degraded = false
    onRecovered()
  }
  const scheduleProbe = () => {
    if (!isClosed) timer = setTimeout(probe, probeInterval).unref()
  }
  const degrade = (error: unknown) => {
    if (degraded || isClosed) return
    degraded = true
    scheduleProbe()
    onDegraded(error)
  }
  shared.take(probeClient, probeWindows).catch(degrade)

  return {
    async take(client, windows) {
      if (!degraded) {
        try {
          return await shared.take(client, windows)
        } catch (error) {
          degrade(error)
        }
      }
      return local.take(client, windows)
    },
    get degraded() {
      return degraded
    },
    async close() {
      isClosed = true
      clearTimeout(timer)
      await Promise.all([shared.close(), local.close()])
    },
  }
}
