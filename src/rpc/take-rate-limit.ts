import { ServiceError } from '../core/errors.ts'
import { clientAddress } from '../rate-limit/client-address.ts'
import type { RateLimiter, RateLimitResult, RateLimitWindow } from '../rate-limit/rate-limiter.ts'
import type { Call } from './call.ts'
import type { Operation } from './operation.ts'

type RateLimitDependencies = { rateLimiter: RateLimiter; globalLimit: number | undefined }

/**
 * Takes a place in the method's window and in the global one, or in neither. The global window does
 * not apply to gRPC, the internal API, and to cacheable methods. Undefined when nothing limits the call.
 */
export async function takeRateLimit(
  { name, policy: { limitPerMinute, globalWindow } }: Operation,
  { transport, ip }: Call,
  { rateLimiter, globalLimit }: RateLimitDependencies,
): Promise<RateLimitResult | undefined> {
  if (globalLimit === undefined) return undefined
  const windows: RateLimitWindow[] = []
  if (limitPerMinute) windows.push(perMinute(name, limitPerMinute))
  if (transport === 'http' && globalWindow) windows.push(perMinute(globalWindow, globalLimit))
  const [first, ...others] = windows
  return first && rateLimiter.take(clientAddress(ip), [first, ...others])
}

/** Throws `resource_exhausted` for a call over its limit. */
export function requireWithinLimit(result: RateLimitResult | undefined): void {
  if (result && !result.allowed) throw rateLimited(result.retryAfter)
}

/** The window over all methods. */
export function globalWindow(limit: number): RateLimitWindow {
  return perMinute('global', limit)
}

/** The error of a client over its limit. */
export function rateLimited(retryAfter: number): ServiceError {
  const detail = `Rate limit exceeded; try again in ${retryAfter} seconds`
  return new ServiceError('resource_exhausted', 'RATE_LIMITED', detail, { retryAfter })
}

function perMinute(name: string, limit: number): RateLimitWindow {
  return { name, limit, period: 60 }
}
