import type { KeyObject } from 'node:crypto'
import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify } from 'jose'
import { ServiceError } from '../core/errors.ts'
import { reasons as coreReasons } from '../core/reasons.ts'
import { isUuid } from '../core/uuid.ts'
import {
  type Claims,
  type DelegatedClaims,
  type DelegatedToken,
  delegatedKind,
  expiryOf,
  type ResourceClaims,
  type ResourceToken,
  readClaims,
  readDelegatedClaims,
  readResourceClaims,
  resourceType,
  type Token,
  type TokenType,
  tokenKinds,
} from './claims.ts'
import type { Keys } from './keys.ts'
import { reasons } from './reasons.ts'

/** Signs and verifies JSON Web Tokens (RFC 7519) with RS256. */
export type Tokens = {
  /** Signs a token that expires `seconds` after `issuedAt`, which defaults to the current time. */
  sign<Type extends TokenType>(
    type: Type,
    claims: Claims[Type],
    seconds: number,
    issuedAt?: Date,
  ): Promise<string>
  /** Signs an ID token or a logout token, whose audience is a client app. */
  signForClient(
    kind: keyof typeof clientTokenTypes,
    claims: JWTPayload,
    clientId: string,
    seconds: number,
    issuedAt?: Date,
  ): Promise<string>
  /** Signs an access token that is limited to the API with this URI. */
  signForResource(
    claims: ResourceClaims,
    uri: string,
    seconds: number,
    issuedAt: Date,
  ): Promise<string>
  /**
   * Returns the claims of a valid access token that is limited to an API, whichever it is. Throws
   * unauthenticated otherwise.
   */
  verifyForResource(token: string): Promise<ResourceToken>
  /**
   * Signs a token by which an agent acts for a user. `audience` is the URI of the API that it is limited to, if
   * it is.
   */
  signDelegated(
    claims: DelegatedClaims,
    audience: string | undefined,
    seconds: number,
    issuedAt: Date,
  ): Promise<string>
  /** Returns the claims of a valid delegated token, whatever its audience. Throws unauthenticated otherwise. */
  verifyDelegated(token: string): Promise<DelegatedToken>
  /**
   * Returns the claims of an ID token of this issuer, even if it has expired, or undefined if it is
   * invalid.
   */
  readIdToken(token: string): Promise<IdTokenClaims | undefined>
  /**
   * Returns the claims of a valid token. Throws unauthenticated otherwise. Does not check the
   * denylist.
   */
  verify<Type extends TokenType>(type: Type, token: string): Promise<Token<Type>>
  /**
   * Returns the keys that verify tokens, by key ID. It returns a new map whenever the keys have
   * been replaced.
   */
  verificationKeys(): ReadonlyMap<string, unknown>
}

/** The claims of an ID token that identify its session. */
export type IdTokenClaims = { sub: string; aud: string; sid: string }

/** The header `typ` of the tokens for client apps (OpenID Connect Back-Channel Logout 1.0, 2.4). */
const clientTokenTypes = { id: 'JWT', logout: 'logout+jwt' } as const

type TokenDependencies = {
  /** The keys, which may be replaced while the server runs. */
  currentKeys: () => Keys
  issuer: string
  now: () => Date
  /** How long a key that has been removed still verifies ID tokens as hints, in seconds. */
  hintSeconds?: number
  /** Whether errors explain to clients what is wrong with a token. Logs always do. */
  debug?: boolean
}

/** Creates the signer and verifier of this issuer. */
export function createTokens({
  currentKeys,
  issuer,
  now,
  hintSeconds = 3600,
  debug = false,
}: TokenDependencies): Tokens {
  const removedKeys = createRemovedKeys(hintSeconds)

  /** Returns the current keys, and remembers those that they replace. */
  function readKeys(): Keys {
    const keys = currentKeys()
    removedKeys.observe(keys.verifying, now())
    return keys
  }

  return {
    verificationKeys: () => currentKeys().verifying,

    async sign(type, claims, seconds, issuedAt = now()) {
      const { typ, audience } = tokenKinds[type]
      return signToken(typ, { ...claims, type }, audience, seconds, issuedAt)
    },

    async signForClient(kind, claims, clientId, seconds, issuedAt = now()) {
      return signToken(clientTokenTypes[kind], claims, clientId, seconds, issuedAt)
    },

    async signForResource(claims, uri, seconds, issuedAt) {
      const { typ } = tokenKinds.access
      return signToken(typ, { ...claims, type: resourceType }, uri, seconds, issuedAt)
    },

    async verifyForResource(token) {
      const { typ } = tokenKinds.access
      const claims = readResourceClaims(await verifySignature(token, { typ }))
      if (!claims) throw tokenInvalid('a claim is missing or has an invalid format')
      return claims
    },

    async signDelegated(claims, audience, seconds, issuedAt) {
      const { typ, type, audience: unlimited } = delegatedKind
      return signToken(typ, { ...claims, type }, audience ?? unlimited, seconds, issuedAt)
    },

    async verifyDelegated(token) {
      const { typ } = delegatedKind
      const claims = readDelegatedClaims(await verifySignature(token, { typ }))
      if (!claims) throw tokenInvalid('a claim is missing or has an invalid format')
      return claims
    },

    async readIdToken(token) {
      try {
        const { kid = '' } = decodeProtectedHeader(token)
        const key = readKeys().verifying.get(kid) ?? removedKeys.find(kid, now())
        if (!key) return undefined
        const { payload } = await jwtVerify(token, key, {
          algorithms: ['RS256'],
          issuer,
          typ: clientTokenTypes.id,
          // An expired hint is accepted (OpenID Connect RP-Initiated Logout 1.0, 4).
          currentDate: new Date(0),
        })
        const { sub, aud, sid } = payload
        // `aud` can be a list in other issuers' tokens.
        const isWellFormed = [sub, aud, sid].every((id) => typeof id === 'string' && isUuid(id))
        return isWellFormed ? (payload as unknown as IdTokenClaims) : undefined
      } catch {
        return undefined
      }
    },

    async verify(type, token) {
      const claims = readClaims(type, await verifySignature(token, tokenKinds[type]))
      if (!claims) throw tokenInvalid('a claim is missing or has an invalid format')
      return claims
    },
  }

  /** Creates a JWS in compact serialization (RFC 7515, 7.1). */
  async function signToken(
    typ: string,
    claims: JWTPayload,
    audience: string,
    seconds: number,
    issuedAt: Date,
  ): Promise<string> {
    const { signer } = readKeys()
    const registered = {
      iss: issuer,
      aud: audience,
      iat: Math.floor(issuedAt.getTime() / 1000),
      exp: expiryOf(issuedAt, seconds).getTime() / 1000,
    }
    const header = { alg: 'RS256', typ, kid: signer.kid }
    const input = [header, { ...claims, ...registered }]
      .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
      .join('.')
    return `${input}.${(await signer.sign(input)).toString('base64url')}`
  }

  /** Verifies a token of a `typ`, for one audience or, if none is given, for any. */
  async function verifySignature(
    token: string,
    { typ, audience }: { typ: string; audience?: string },
  ): Promise<JWTPayload> {
    try {
      const key = currentKeys().verifying.get(decodeProtectedHeader(token).kid ?? '')
      if (!key) throw tokenInvalid('it was not signed with a key of this server')
      const { payload, protectedHeader } = await jwtVerify(token, key, {
        algorithms: ['RS256'],
        issuer,
        ...(audience !== undefined && { audience }),
        typ,
        requiredClaims: ['exp'],
        currentDate: now(),
      })
      // jose also accepts `application/` before the typ, and an array that contains the audience.
      if (protectedHeader.typ !== typ) throw tokenInvalid(explainType(typ))
      if (audience !== undefined && payload.aud !== audience)
        throw tokenInvalid(explainAudience(payload.aud, audience))
      return payload
    } catch (error) {
      if (error instanceof ServiceError) throw error
      if (error instanceof errors.JWTExpired) throw tokenExpired(error)
      throw tokenInvalid(explainRefusal(error, { issuer, audience, typ }))
    }
  }

  function tokenInvalid(explanation: string): ServiceError {
    const cause = new Error(explanation)
    const detail = debug ? `The token is not valid: ${explanation}` : 'The token is not valid'
    return new ServiceError(reasons.TOKEN_INVALID, detail, { cause })
  }

  function tokenExpired({ payload }: errors.JWTExpired): ServiceError {
    const expiry = new Date(Number(payload.exp) * 1000).toISOString()
    const cause = new Error(`it expired at ${expiry}`)
    const detail = debug ? `The token has expired: ${cause.message}` : 'The token has expired'
    return new ServiceError(coreReasons.TOKEN_EXPIRED, detail, { cause })
  }
}

/**
 * Keeps removed keys for a while to verify `id_token_hint`: client apps may still hold ID tokens that
 * have expired, and a hint alone grants nothing.
 */
function createRemovedKeys(seconds: number) {
  type VerifyingKeys = Keys['verifying']
  const removed = new Map<string, { key: KeyObject; until: number }>()
  let latest: VerifyingKeys = new Map()
  return {
    observe(current: VerifyingKeys, now: Date): void {
      if (current === latest) return
      for (const [kid, { until }] of removed) if (until <= now.getTime()) removed.delete(kid)
      for (const [kid, key] of latest)
        if (!current.has(kid)) removed.set(kid, { key, until: now.getTime() + seconds * 1000 })
      latest = current
    },
    find(kid: string, now: Date): KeyObject | undefined {
      const found = removed.get(kid)
      return found && found.until > now.getTime() ? found.key : undefined
    },
  }
}

/** Explains why jose rejected a token. Claims are only compared after the signature was verified. */
function explainRefusal(
  error: unknown,
  { issuer, audience = '', typ }: { issuer: string; audience?: string | undefined; typ: string },
): string {
  if (error instanceof errors.JWTClaimValidationFailed) {
    const { claim, payload } = error
    if (claim === 'iss') {
      return `its issuer is ${JSON.stringify(payload.iss)}, but BASE_URL is ${JSON.stringify(issuer)}`
    }
    if (claim === 'aud') return explainAudience(payload.aud, audience)
    return claim === 'typ'
      ? explainType(typ)
      : `its claim ${claim} is missing or has an invalid value`
  }
  return error instanceof errors.JWSSignatureVerificationFailed
    ? 'its signature is not valid'
    : 'it is not a JSON Web Token signed with RS256'
}

function explainAudience(actual: unknown, expected: string): string {
  return `its audience is ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`
}

function explainType(expected: string): string {
  return `its header does not have the type (typ) ${expected}`
}
