import { hash } from 'node:crypto'
import { ServiceError } from '../core/errors.ts'
import type { Token } from '../identity/claims.ts'
import { hashServiceKey } from '../identity/service-keys.ts'
import type { Tokens } from '../identity/tokens.ts'
import type { Credentials } from './call.ts'
import type { Policy, Tier } from './method.ts'

/** The credentials that each tier requires. */
const requirements: Record<Tier, { token?: 'access' | 'admin_access'; serviceKey?: true }> = {
  public: {},
  user: { token: 'access' },
  service: { serviceKey: true },
  dual: { token: 'access', serviceKey: true },
  admin: { token: 'admin_access' },
}

/**
 * The claims of tokens whose signature and expiry are valid, and the hash of the service key. Whether
 * the user, the key and the token are still active is read from the database on every call.
 */
export type VerifiedCredentials = {
  user?: Token<'access'> | undefined
  admin?: Token<'admin_access'> | undefined
  /** The tier requires a service key. */
  service?: true | undefined
  /** The hash of the presented service key, if any. */
  keyHash?: string | undefined
}

/**
 * Verifies the credentials that a policy requires. Returns synchronously when the token is cached;
 * throws or rejects with `unauthenticated`.
 */
export type VerifyCredentials = (
  policy: Pick<Policy, 'tier' | 'optionalUser' | 'profile'>,
  credentials: Credentials,
  now: Date,
) => VerifiedCredentials | Promise<VerifiedCredentials>

type CacheEntry = VerifiedCredentials & { expiresAt: number }

/** Bounds the memory of the cache: clients choose its keys. */
const maxCacheEntries = 50_000

/**
 * Creates a verifier that caches verified tokens until they expire, because a signature check costs
 * more than the rest of a permission check. The cache is keyed by a SHA-256 of the credentials and
 * never contains the credentials themselves.
 */
export function createCredentialsVerifier(tokens: Tokens): VerifyCredentials {
  const cache = new Map<string, CacheEntry>()

  function addToCache(digest: string, entry: CacheEntry) {
    if (cache.size >= maxCacheEntries) {
      const [oldest] = cache.keys()
      if (oldest) cache.delete(oldest)
    }
    cache.set(digest, entry)
  }

  async function verifyTokens(tier: Tier, credentials: Credentials, digest: string) {
    const { token } = requirements[tier]
    const verified = readServiceKey(tier, credentials)
    if (token === 'access') verified.user = await tokens.verify(token, requireBearer(credentials))
    if (token === 'admin_access')
      verified.admin = await tokens.verify(token, requireAdminCookie(credentials))
    const expirySeconds = (verified.user ?? verified.admin)?.exp ?? 0
    addToCache(digest, { ...verified, expiresAt: expirySeconds * 1000 })
    return verified
  }

  return (policy, received, now) => {
    const credentials = policy.profile === 'authzen' ? withBearerKey(received) : received
    const tier = effectiveTier(policy, credentials)
    if (!requirements[tier].token) return readServiceKey(tier, credentials)
    credentials.digest ??= digestOf(tier, credentials)
    const cached = cache.get(credentials.digest)
    if (cached && cached.expiresAt > now.getTime()) return cached
    return verifyTokens(tier, credentials, credentials.digest)
  }
}

/** A service method with an optional user requires both credentials once a token is present. */
function effectiveTier(
  { tier, optionalUser }: Pick<Policy, 'tier' | 'optionalUser'>,
  { authorization }: Credentials,
): Tier {
  return optionalUser && authorization !== undefined ? 'dual' : tier
}

/** Joined by line feeds, which no header value contains, so that different credentials never collide. */
function digestOf(tier: Tier, { authorization, serviceKey, adminToken }: Credentials): string {
  return hash('sha256', [tier, authorization, serviceKey, adminToken].join('\n'), 'base64')
}

/** Gateways send the key of a policy decision point as a bearer token. */
function withBearerKey(credentials: Credentials): Credentials {
  const [, key] = /^Bearer +(dk_.*)$/i.exec(credentials.authorization ?? '') ?? []
  if (key === undefined || credentials.serviceKey !== undefined) return credentials
  return { ...credentials, serviceKey: key }
}

function readServiceKey(tier: Tier, { serviceKey }: Credentials): VerifiedCredentials {
  const service = requirements[tier].serviceKey
  return { service, keyHash: service && serviceKey ? hashServiceKey(serviceKey) : undefined }
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
