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
 * Takes a place in the method's window and in the global one, or in neither. The global window does
 * not apply to gRPC, the internal API, and to cacheable methods. With `adminLimit`, a signed-in
 * administrator has a window instead of the global one. Undefined when nothing limits the call.
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

/** Returns who calls an admin route with a valid token. Whether the token was revoked is checked later. */
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
    // The step that requires credentials reports what is wrong with them.
    return undefined
  }
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
