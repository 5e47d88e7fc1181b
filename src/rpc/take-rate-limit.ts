import type { CredentialKind, Credentials, RateWindow } from '../core/credential-kind.ts'
import { ServiceError } from '../core/errors.ts'
import { clientAddress } from '../rate-limit/client-address.ts'
import type { RateLimiter, RateLimitResult, RateLimitWindow } from '../rate-limit/rate-limiter.ts'
import type { Call } from './call.ts'
import type { ChooseKinds } from './credentials.ts'
import type { Policy } from './method.ts'
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
  chooseKinds: ChooseKinds
  isValidServiceKey: IsValidServiceKey
}

/** What a REST call counts for instead of its address, and the limit over all routes. */
type Identity = { client: string; window: RateLimitWindow }

/**
 * Counts a call in the window of its method and in the global window or, if one of them is full, in
 * neither. Returns undefined if no limit applies.
 *
 * The global window applies neither to gRPC, which is the internal API, nor to cacheable methods. REST
 * calls count for their address or, if the settings limit services, users or administrators, for the
 * one whose credentials they present.
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
  const { serviceLimit, chooseKinds } = dependencies
  if (serviceLimit === undefined) return undefined
  const { credentials } = call
  const kind = findKinds(chooseKinds, policy, credentials).find(({ name }) => name === serviceKind)
  const keyHash = kind?.verify(credentials, policy, now, true)
  if (typeof keyHash !== 'string' || keyHash === '') return undefined
  const key = { keyHash, address: clientAddress(call.ip), now, scope: call.scope }
  if (!(await dependencies.isValidServiceKey(key))) return undefined
  return { client: `service ${keyHash}`, window: perMinute('service', serviceLimit) }
}

/** The kind whose keys are counted only once a statement has shown that they are valid. */
const serviceKind = 'service'

const findIdentity: FindIdentity = async (operation, call, now, dependencies) => {
  const { policy } = operation
  const { credentials } = call
  const service = await findService(operation, call, now, dependencies)
  if (service) return service
  for (const kind of findKinds(dependencies.chooseKinds, policy, credentials)) {
    const windows = kind
      .windows?.(policy)
      .filter((name) => limitOf(name, policy, dependencies) !== undefined)
    if (!windows?.length || !kind.isPresented(credentials, policy)) continue
    const claims = await findClaims(kind, operation, credentials, now)
    if (claims === undefined) continue
    for (const name of windows) {
      const client = kind.clientIn?.(name, claims)
      const limit = limitOf(name, policy, dependencies)
      if (client && limit !== undefined) return { client, window: perMinute(name, limit) }
    }
  }
  return undefined
}

/** Returns the limit of a window. Methods with a limit of their own do not use that of administrators. */
function limitOf(
  window: RateWindow,
  { credentials, limitPerMinute }: Policy,
  { serviceLimit, userLimit, adminLimit }: RateLimitDependencies,
): number | undefined {
  if (window !== 'admin') return window === 'service' ? serviceLimit : userLimit
  const takesServiceKeys = credentials.some((kinds) => kinds.includes(serviceKind))
  return limitPerMinute || takesServiceKeys ? undefined : adminLimit
}

/** Returns the kinds that a call must present; the next step reports if there are none. */
function findKinds(
  chooseKinds: ChooseKinds,
  policy: Policy,
  credentials: Credentials,
): readonly CredentialKind[] {
  try {
    return chooseKinds(policy, credentials)
  } catch {
    return []
  }
}

/**
 * Returns the claims of the credential that a call presents, if it is valid. Whether it has been revoked
 * is checked later.
 */
async function findClaims(
  kind: CredentialKind,
  { policy }: Operation,
  credentials: Credentials,
  now: Date,
): Promise<unknown> {
  try {
    return await kind.verify(credentials, policy, now, !policy.lenientUser)
  } catch {
    // The next step reports invalid credentials.
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
  return new ServiceError(reasons.RATE_LIMITED, detail, { retryAfter })
}

function perMinute(name: string, limit: number): RateLimitWindow {
  return { name, limit, period: 60 }
}
