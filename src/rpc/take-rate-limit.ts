import { ServiceError } from '../core/errors.ts'
import { clientAddress } from '../rate-limit/client-address.ts'
import type { RateLimiter, RateLimitResult, RateLimitWindow } from '../rate-limit/rate-limiter.ts'
import type { Call } from './call.ts'
import type { VerifyCredentials } from './credentials.ts'
import type { Operation } from './operation.ts'

type RateLimitDependencies = {
  rateLimiter: RateLimiter
  globalLimit: number | undefined
  adminLimit: number | undefined
  verifyCredentials: VerifyCredentials
}

/**
 * Counts a call in the window of its method and in the global window or, if one of them is full, in
 * neither. The global window does not apply to gRPC, which is the internal API, or to cacheable
 * methods. If `adminLimit` is set, calls of a signed-in administrator to admin routes are counted
 * in a separate window instead. Returns undefined if no limit applies.
 */
export async function takeRateLimit(
  operation: Operation,
  call: Call,
  now: Date,
  dependencies: RateLimitDependencies,
): Promise<RateLimitResult | undefined> {
  const { rateLimiter, globalLimit, adminLimit } = dependencies
  const { limitPerMinute, globalWindow } = operation.policy
  if (globalLimit === undefined) return undefined
  if (adminLimit !== undefined) {
    const userId = await findAdministrator(operation, call, now, dependencies)
    if (userId) return rateLimiter.take(`admin ${userId}`, [perMinute('admin', adminLimit)])
  }
  const windows: RateLimitWindow[] = []
  if (limitPerMinute) windows.push(perMinute(operation.name, limitPerMinute))
  if (call.transport === 'http' && globalWindow) windows.push(perMinute(globalWindow, globalLimit))
  const [first, ...others] = windows
  return first && rateLimiter.take(clientAddress(call.ip), [first, ...others])
}

/**
 * Returns the id of the administrator who calls an admin route with a valid token. Whether the
 * token has been revoked is checked later.
 */
async function findAdministrator(
  { policy }: Operation,
  { transport, credentials }: Call,
  now: Date,
  { verifyCredentials }: RateLimitDependencies,
): Promise<string | undefined> {
  const isLimited = transport === 'http' && policy.tier === 'admin' && !policy.limitPerMinute
  if (!isLimited || !credentials.adminToken) return undefined
  try {
    return (await verifyCredentials(policy, credentials, now)).admin?.sub
  } catch {
    // The next step reports what is wrong with the credentials.
    return undefined
  }
}

/** Throws `resource_exhausted` if the call is over its limit. */
export function requireWithinLimit(result: RateLimitResult | undefined): void {
  if (result && !result.allowed) throw rateLimited(result.retryAfter)
}

/** Returns the window that counts the calls of all methods. */
export function globalWindow(limit: number): RateLimitWindow {
  return perMinute('global', limit)
}

/** Returns the error of a client that is over its limit. */
export function rateLimited(retryAfter: number): ServiceError {
  const detail = `Rate limit exceeded; try again in ${retryAfter} seconds`
  return new ServiceError('resource_exhausted', 'RATE_LIMITED', detail, { retryAfter })
}

function perMinute(name: string, limit: number): RateLimitWindow {
  return { name, limit, period: 60 }
}
