import { ServiceError } from '../core/errors.ts'
import { clientAddress } from '../rate-limit/client-address.ts'
import type { RateLimiter, RateLimitResult, RateLimitWindow } from '../rate-limit/rate-limiter.ts'
import type { Call } from './call.ts'
import {
  presentedKeyHash,
  type VerifiedCredentials,
  type VerifyCredentials,
} from './credentials.ts'
import type { Operation } from './operation.ts'
import { reasons } from './reasons.ts'
import type { IsValidServiceKey } from './valid-service-keys.ts'

export type RateLimitDependencies = {
  rateLimiter: RateLimiter
  /** Requests per minute and address over all REST routes; undefined to turn every limit off. */
  globalLimit: number | undefined
  /** Requests per minute of an administrator to admin routes; undefined to apply `globalLimit`. */
  adminLimit: number | undefined
  /** REST calls per minute of a service key, 0 for no limit; undefined to apply `globalLimit`. */
  serviceLimit: number | undefined
  /** REST calls per minute of a user; undefined to apply `globalLimit`. */
  userLimit: number | undefined
  verifyCredentials: VerifyCredentials
  isValidServiceKey: IsValidServiceKey
}

/** What a REST call counts for instead of its address, and the limit over all routes. */
type Identity = { client: string; window: RateLimitWindow }

/**
 * Counts a call in the window of its method and in the global window or, if one of them is full, in
 * neither. The global window does not apply to gRPC, which is the internal API, or to cacheable
 * methods. Where the settings limit services, users or administrators, REST calls with their
 * credentials count for them instead of their address. Returns undefined if no limit applies.
 */
export async function takeRateLimit(
  operation: Operation,
  call: Call,
  now: Date,
  dependencies: RateLimitDependencies,
): Promise<RateLimitResult | undefined> {
  const { rateLimiter, globalLimit } = dependencies
  const { limitPerMinute, globalWindow } = operation.policy
  if (globalLimit === undefined) return undefined
  const find = identityFinder(operation, call)
  const identity = await find?.(operation, call, now, dependencies)
  if (identity?.window.limit === 0) return undefined
  const windows: RateLimitWindow[] = []
  if (limitPerMinute) windows.push(perMinute(operation.name, limitPerMinute))
  if (identity) windows.push(identity.window)
  else if (call.transport === 'http' && globalWindow)
    windows.push(perMinute(globalWindow, globalLimit))
  const [first, ...others] = windows
  return first && rateLimiter.take(identity?.client ?? clientAddress(call.ip), [first, ...others])
}

type FindIdentity = (
  operation: Operation,
  call: Call,
  now: Date,
  dependencies: RateLimitDependencies,
) => Promise<Identity | undefined>

function identityFinder({ policy }: Operation, { transport }: Call): FindIdentity | undefined {
  if (transport === 'http') return findIdentity
  return policy.serviceLimitOverGrpc ? findService : undefined
}

const findService: FindIdentity = async ({ policy }, call, now, dependencies) => {
  const { serviceLimit } = dependencies
  const keyHash = presentedKeyHash(policy, call.credentials)
  if (serviceLimit === undefined || keyHash === undefined) return undefined
  const key = { keyHash, address: clientAddress(call.ip), now, scope: call.scope }
  if (!(await dependencies.isValidServiceKey(key))) return undefined
  return { client: `service ${keyHash}`, window: perMinute('service', serviceLimit) }
}

const findIdentity: FindIdentity = async (operation, call, now, dependencies) => {
  const { adminLimit, userLimit, serviceLimit } = dependencies
  const { policy } = operation
  const service = await findService(operation, call, now, dependencies)
  if (service) return service
  const limitsAdmin = adminLimit !== undefined && policy.tier === 'admin' && !policy.limitPerMinute
  const limitsUser = userLimit !== undefined && policy.tier !== 'admin'
  const limitsApiKey = serviceLimit !== undefined && policy.acceptsServiceAccounts
  const limitsScim = serviceLimit !== undefined && policy.tier === 'scim'
  if (!limitsAdmin && !limitsUser && !limitsApiKey && !limitsScim) return undefined
  const { user, scim, ...other } = await findTokenOwner(operation, call, now, dependencies)
  const admin = other.admin ?? other.managementApp
  if (limitsAdmin && admin)
    return { client: `admin ${admin.sub}`, window: perMinute('admin', adminLimit) }
  if (limitsScim && scim)
    return { client: `scim ${scim.tokenId}`, window: perMinute('service', serviceLimit) }
  if (limitsApiKey && user?.apiKeyPrefix)
    return { client: `api key ${user.jti}`, window: perMinute('service', serviceLimit) }
  if (limitsUser && user)
    return { client: `user ${user.sub}`, window: perMinute('user', userLimit) }
  return undefined
}

/**
 * Returns the claims of the token that a call presents, if it is valid. Whether it has been revoked
 * is checked later.
 */
async function findTokenOwner(
  { policy }: Operation,
  { credentials }: Call,
  now: Date,
  { verifyCredentials }: RateLimitDependencies,
): Promise<VerifiedCredentials> {
  if (credentials.adminTokens.length === 0 && !credentials.authorization) return {}
  try {
    return await verifyCredentials(policy, credentials, now, true)
  } catch {
    // The next step reports invalid credentials.
    return {}
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
  return new ServiceError(reasons.RATE_LIMITED, detail, { retryAfter })
}

function perMinute(name: string, limit: number): RateLimitWindow {
  return { name, limit, period: 60 }
}
