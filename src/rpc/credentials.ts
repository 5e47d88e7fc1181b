import { ServiceError } from '../core/errors.ts'
import {
  apiKeyInvalid,
  apiKeyPrefix,
  type FindApiKey,
  looksLikeApiKey,
  maxKeyMemory,
} from '../identity/api-keys.ts'
import { reasons as identityReasons } from '../identity/reasons.ts'
import { type FindScimToken, scimTokenInvalid } from '../identity/scim-tokens.ts'
import { hashServiceKey } from '../identity/service-keys.ts'
import {
  digestToken,
  type TokenKind,
  type TokenMemory,
  type VerifiedToken,
} from '../identity/token-memory.ts'
import { tokenMissing } from '../identity/user-errors.ts'
import type { Credentials } from './call.ts'
import type { Policy, Tier } from './method.ts'

/** The credentials that each tier requires. */
const requirements: Record<Tier, { token?: TokenRequirement; serviceKey?: true }> = {
  public: {},
  user: { token: 'access' },
  service: { serviceKey: true },
  dual: { token: 'access', serviceKey: true },
  admin: { token: 'administrative' },
  scim: { token: 'scim' },
}

/**
 * An access token; an administrator's token, or the token of a management app; or the SCIM token of a
 * workspace.
 */
type TokenRequirement = 'access' | 'administrative' | 'scim'

/** The maximum number of `admin_token` cookies that are verified for a call. */
const maxAdminTokens = 4

/**
 * The claims of tokens whose signature and expiry are valid, and the hash of the service key.
 * Whether the user, the key and the token are still active is checked on every call.
 */
export type VerifiedCredentials = VerifiedToken & {
  /** Whether the tier requires a service key, or accepts other credentials instead. */
  service?: 'required' | 'optional' | undefined
  /** The hash of the presented service key, if any. */
  keyHash?: string | undefined
  /** Whether a token that is not valid counts as absent. */
  isLenient?: boolean
  /** Why a token counts as absent. */
  tokenError?: ServiceError
}

/**
 * Verifies the credentials that a policy requires. Returns synchronously if the token is remembered.
 * Throws or rejects with `unauthenticated`.
 */
export type VerifyCredentials = (
  policy: Pick<
    Policy,
    'tier' | 'optionalUser' | 'optionalAdmin' | 'lenientUser' | 'optionalClient' | 'profile'
  >,
  credentials: Credentials,
  now: Date,
  /**
   * Whether to treat API keys and SCIM tokens that are not in memory as absent, so that no statement
   * is needed.
   */
  onlyRemembered?: boolean,
) => VerifiedCredentials | Promise<VerifiedCredentials>

/** Creates the verifier of the credentials of calls. */
export function createCredentialsVerifier(
  memory: TokenMemory,
  findApiKey: FindApiKey,
  findScimToken: FindScimToken,
): VerifyCredentials {
  /** API keys are remembered like tokens. Whether one has ended is checked on every call. */
  async function verifyApiKey(key: string, digest: string, now: Date): Promise<VerifiedToken> {
    const owner = await findApiKey(key, now)
    if (!owner) throw apiKeyInvalid()
    const { keyId: jti, userId: sub, workspaceId: wid } = owner
    const memoryEnd = Math.floor(now.getTime() / 1000) + maxKeyMemory
    const exp = owner.expiresAt ?? memoryEnd
    const user = { sub, jti, wid, exp, email: '', apiKeyPrefix: apiKeyPrefix(key) }
    memory.remember(digest, { user }, Math.min(exp, memoryEnd) * 1000, now)
    return { user }
  }

  /**
   * Reads a SCIM token at every call, so that it ends immediately. It is remembered only to count the
   * calls of a workspace before that.
   */
  function verifyScimToken(
    credentials: Credentials,
    now: Date,
    onlyRemembered: boolean,
  ): VerifiedToken | Promise<VerifiedToken> {
    const token = requireBearer(credentials)
    credentials.digest ??= digestToken('scim', token)
    const { digest } = credentials
    return onlyRemembered ? (memory.find(digest, now) ?? {}) : findAndRemember()

    async function findAndRemember(): Promise<VerifiedToken> {
      const scim = await findScimToken(token)
      if (!scim) throw scimTokenInvalid()
      memory.remember(digest, { scim }, now.getTime() + maxKeyMemory * 1000, now)
      return { scim }
    }
  }

  /**
   * Returns the administrator whose token is valid, because another host of the site can add a
   * cookie. Rejects tokens of different administrators: nobody knows whose browser it is.
   */
  async function verifyAdminTokens(adminTokens: string[], now: Date): Promise<VerifiedToken> {
    if (adminTokens.length > maxAdminTokens) throw tokensAmbiguous()
    const results = await Promise.allSettled(
      adminTokens.map(async (token) => {
        const digest = digestToken('admin_access', token)
        return memory.findOrVerify('admin_access', token, digest, now)
      }),
    )
    const valid = results.flatMap((result) =>
      result.status === 'fulfilled' && result.value.admin ? [result.value.admin] : [],
    )
    const [latest] = valid.toSorted((one, other) => other.exp - one.exp)
    if (!latest) throw (results[0] as PromiseRejectedResult).reason
    if (valid.some(({ sub }) => sub !== latest.sub)) throw tokensAmbiguous()
    return { admin: latest }
  }

  function verifyToken(
    required: TokenRequirement,
    credentials: Credentials,
    now: Date,
    onlyRemembered: boolean,
  ): VerifiedToken | Promise<VerifiedToken> {
    if (required === 'scim') return verifyScimToken(credentials, now, onlyRemembered)
    const { adminTokens } = credentials
    if (required === 'administrative' && adminTokens.length > 1)
      return verifyAdminTokens(adminTokens, now)
    const { type, token } = presentedToken(required, credentials)
    credentials.digest ??= digestToken(type, token)
    const { digest } = credentials
    if (type !== 'access' || !looksLikeApiKey(token))
      return memory.findOrVerify(type, token, digest, now)
    return memory.find(digest, now) ?? (onlyRemembered ? {} : verifyApiKey(token, digest, now))
  }

  async function verifyLeniently(
    required: TokenRequirement,
    credentials: Credentials,
    now: Date,
  ): Promise<VerifiedCredentials> {
    try {
      const { user } = await verifyToken(required, credentials, now, false)
      return { user, isLenient: true }
    } catch (error) {
      if (error instanceof ServiceError && error.code === 'unauthenticated')
        return { tokenError: error }
      throw error
    }
  }

  return (policy, received, now, onlyRemembered = false) => {
    const credentials = withKeyOfProfile(policy, received)
    const tier = effectiveTier(policy, credentials)
    const { token: required } = requirements[tier]
    const service = readServiceKey(tier, policy.optionalClient, credentials)
    if (!required) return service
    const verified = policy.lenientUser
      ? verifyLeniently(required, credentials, now)
      : verifyToken(required, credentials, now, onlyRemembered)
    if (verified instanceof Promise) return verified.then((own) => ({ ...own, ...service }))
    const { user, admin, managementApp, scim } = verified
    return { user, admin, managementApp, scim, ...service }
  }
}

/**
 * A `service` method with an optional user requires both credentials if a token is present. With an
 * optional administrator, the token of an administrator or a management app is required instead if
 * one is present without a service key.
 */
function effectiveTier(
  { tier, optionalUser, optionalAdmin }: Pick<Policy, 'tier' | 'optionalUser' | 'optionalAdmin'>,
  { authorization, adminTokens, serviceKey }: Credentials,
): Tier {
  const isAdministrative = adminTokens.length > 0 || (!optionalUser && authorization !== undefined)
  if (optionalAdmin && isAdministrative && serviceKey === undefined) return 'admin'
  return optionalUser && authorization !== undefined ? 'dual' : tier
}

/** Returns the hash of the service key that a call presents to a method that requires one. */
export function presentedKeyHash(
  { tier, optionalClient, profile }: Pick<Policy, 'tier' | 'optionalClient' | 'profile'>,
  received: Credentials,
): string | undefined {
  const credentials = withKeyOfProfile({ profile }, received)
  return readServiceKey(tier, optionalClient, credentials).keyHash
}

/**
 * Reads a service key sent as a bearer token, as API gateways do that call a policy decision point.
 * In forward authentication, `Authorization` comes from the gateway's client, who must not choose
 * the service.
 */
function withKeyOfProfile(
  { profile }: Pick<Policy, 'profile'>,
  credentials: Credentials,
): Credentials {
  if (profile === 'default' || profile === 'gateway') return credentials
  const [, key] = /^Bearer +(dk_.*)$/i.exec(credentials.authorization ?? '') ?? []
  if (key === undefined || credentials.serviceKey !== undefined) return credentials
  return { ...credentials, serviceKey: key }
}

function readServiceKey(
  tier: Tier,
  optionalClient: boolean,
  credentials: Credentials,
): VerifiedCredentials {
  const { serviceKey } = credentials
  if (!requirements[tier].serviceKey) return {}
  if (serviceKey) credentials.keyHash ??= hashServiceKey(serviceKey)
  const { keyHash } = credentials
  return { service: optionalClient && !keyHash ? 'optional' : 'required', keyHash }
}

function tokensAmbiguous(): ServiceError {
  return new ServiceError(
    identityReasons.TOKEN_INVALID,
    'The browser sends several admin_token cookies: delete the cookies of this site and sign in again',
  )
}

function requireBearer({ authorization }: Credentials): string {
  const [scheme] = /^Bearer +/i.exec(authorization ?? '') ?? []
  if (scheme && authorization) return authorization.slice(scheme.length)
  throw tokenMissing()
}

/**
 * Returns the token that the call must be verified with. Administrators send theirs in a cookie,
 * because browsers protect it from scripts; management apps send theirs in a header.
 */
function presentedToken(
  required: Exclude<TokenRequirement, 'scim'>,
  credentials: Credentials,
): { type: TokenKind; token: string } {
  if (required === 'access') return { type: 'access', token: requireBearer(credentials) }
  const [adminToken] = credentials.adminTokens
  if (adminToken) return { type: 'admin_access', token: adminToken }
  if (credentials.authorization !== undefined)
    return { type: 'management', token: requireBearer(credentials) }
  throw new ServiceError(
    identityReasons.TOKEN_MISSING,
    'An admin token is required in the admin_token cookie, or the token of a management app in the Authorization header',
  )
}
