import { hash } from 'node:crypto'
import { ServiceError } from '../core/errors.ts'
import type { Token } from '../identity/claims.ts'
import { hashServiceKey } from '../identity/service-keys.ts'
import type { Tokens } from '../identity/tokens.ts'
import type { Credentials } from './call.ts'
import type { Policy, Tier } from './method.ts'

type TokenKind = 'access' | 'admin_access'

/** The credentials that each tier requires. */
const requirements: Record<Tier, { token?: TokenKind; serviceKey?: true }> = {
  public: {},
  user: { token: 'access' },
  service: { serviceKey: true },
  dual: { token: 'access', serviceKey: true },
  admin: { token: 'admin_access' },
}

/** The claims that calls need. Others, such as the groups, can be large and are not cached. */
export type UserClaims = Pick<Token<'access'>, 'sub' | 'jti' | 'wid' | 'exp'>
export type AdminClaims = Pick<Token<'admin_access'>, 'sub' | 'jti' | 'admin' | 'exp'>

/**
 * The claims of tokens whose signature and expiry are valid, and the hash of the service key.
 * Whether the user, the key and the token are still active is checked on every call.
 */
export type VerifiedCredentials = {
  user?: UserClaims | undefined
  admin?: AdminClaims | undefined
  /** Whether the tier requires a service key. */
  service?: true | undefined
  /** The hash of the presented service key, if any. */
  keyHash?: string | undefined
}

/**
 * Verifies the credentials that a policy requires. Returns synchronously if the token is cached.
 * Throws or rejects with `unauthenticated`.
 */
export type VerifyCredentials = (
  policy: Pick<Policy, 'tier' | 'optionalUser' | 'profile'>,
  credentials: Credentials,
  now: Date,
) => VerifiedCredentials | Promise<VerifiedCredentials>

type VerifiedToken = Pick<VerifiedCredentials, 'user' | 'admin'>
type CacheEntry = VerifiedToken & { expiresAt: number }

/** The estimated memory of a cache entry in bytes: its digest, three ids, objects and map entry. */
const entryBytes = 1024

/** Milliseconds between two sweeps of expired entries. */
const sweepInterval = 60_000

/**
 * Creates a verifier that caches verified tokens until they expire, because checking a signature
 * costs more than the rest of a permission check. The cache is keyed by a SHA-256 digest, never
 * contains the token itself, and takes at most about `maxCacheBytes`.
 */
export function createCredentialsVerifier(
  tokens: Tokens,
  maxCacheBytes: number,
): VerifyCredentials {
  const cache = new Map<string, CacheEntry>()
  let verificationKeys = tokens.verificationKeys()
  const maxEntries = Math.max(Math.floor(maxCacheBytes / entryBytes), 1)
  let nextSweep = 0

  function addToCache(digest: string, entry: CacheEntry, now: number) {
    if (now >= nextSweep) {
      nextSweep = now + sweepInterval
      for (const [other, { expiresAt }] of cache) if (expiresAt <= now) cache.delete(other)
    }
    if (cache.size >= maxEntries) {
      const [oldest] = cache.keys()
      if (oldest) cache.delete(oldest)
    }
    cache.set(digest, entry)
  }

  async function verify(type: TokenKind, token: string, digest: string, now: Date) {
    const keys = verificationKeys
    const claims = await tokens.verify(type, token)
    const { sub, jti, exp } = claims
    const verified: VerifiedToken =
      'wid' in claims
        ? { user: { sub, jti, exp, wid: claims.wid } }
        : { admin: { sub, jti, exp, admin: claims.admin } }
    // The keys may have been replaced while the signature was verified.
    if (keys === tokens.verificationKeys()) {
      addToCache(digest, { ...verified, expiresAt: exp * 1000 }, now.getTime())
    }
    return verified
  }

  return (policy, received, now) => {
    const credentials = policy.profile === 'default' ? received : withBearerKey(received)
    const tier = effectiveTier(policy, credentials)
    const { token: type } = requirements[tier]
    const service = readServiceKey(tier, credentials)
    if (!type) return service
    const token = type === 'access' ? requireBearer(credentials) : requireAdminCookie(credentials)
    if (verificationKeys !== tokens.verificationKeys()) {
      // Tokens that a removed key has signed must not be accepted any longer.
      cache.clear()
      verificationKeys = tokens.verificationKeys()
    }
    // The separator is unambiguous, because a token cannot contain a line feed.
    credentials.digest ??= hash('sha256', `${type}\n${token}`, 'base64')
    const cached = cache.get(credentials.digest)
    if (cached && cached.expiresAt > now.getTime()) {
      return { user: cached.user, admin: cached.admin, ...service }
    }
    return verify(type, token, credentials.digest, now).then((verified) => ({
      ...verified,
      ...service,
    }))
  }
}

/** A `service` method with an optional user requires both credentials if a token is present. */
function effectiveTier(
  { tier, optionalUser }: Pick<Policy, 'tier' | 'optionalUser'>,
  { authorization }: Credentials,
): Tier {
  return optionalUser && authorization !== undefined ? 'dual' : tier
}

/** API gateways send the key of a policy decision point as a bearer token. */
function withBearerKey(credentials: Credentials): Credentials {
  const [, key] = /^Bearer +(dk_.*)$/i.exec(credentials.authorization ?? '') ?? []
  if (key === undefined || credentials.serviceKey !== undefined) return credentials
  return { ...credentials, serviceKey: key }
}

function readServiceKey(tier: Tier, credentials: Credentials): VerifiedCredentials {
  const { serviceKey } = credentials
  const service = requirements[tier].serviceKey
  if (!service) return { service }
  if (serviceKey) credentials.keyHash ??= hashServiceKey(serviceKey)
  return { service, keyHash: credentials.keyHash }
}

function requireBearer({ authorization }: Credentials): string {
  const [scheme] = /^Bearer +/i.exec(authorization ?? '') ?? []
  if (scheme && authorization) return authorization.slice(scheme.length)
  throw new ServiceError(
    'unauthenticated',
    'TOKEN_MISSING',
    'An access token is required in the authorization header: Bearer <token>',
  )
}

function requireAdminCookie({ adminToken }: Credentials): string {
  if (adminToken) return adminToken
  throw new ServiceError(
    'unauthenticated',
    'TOKEN_MISSING',
    'An admin token is required in the admin_token cookie',
  )
}
