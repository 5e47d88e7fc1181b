import { createHash } from 'node:crypto'
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'
import { Fault } from '../rpc/fault.ts'
import { type AccessClaims, audience, readAccessClaims } from './claims.ts'
import type { Keys } from './keys.ts'

/** What an access token says beyond its own life. */
export type AccessSubject = Omit<AccessClaims, 'iat' | 'exp' | 'type'>

/** Signs and verifies tokens (RFC 7519, RS256 alone). */
export type Tokens = {
  signAccess(subject: AccessSubject, seconds: number): Promise<string>
  /** The claims of a token that holds; throws unauthenticated. Says nothing of the denylist. */
  verifyAccess(token: string): Promise<AccessClaims>
}

type TokenParts = { keys: Keys; issuer: string; now: () => Date }

/** The most tokens whose verified signature is remembered. */
const mostRemembered = 50_000

/**
 * Tokens of this issuer. A verified signature is remembered by the token's SHA-256, never the token,
 * and never past its expiry; whether the token still holds is asked of the database at each call.
 */
export function createTokens({ keys, issuer, now }: TokenParts): Tokens {
  const remembered = new Map<string, AccessClaims>()

  function remember(digest: string, claims: AccessClaims) {
    if (remembered.size >= mostRemembered) {
      const [oldest] = remembered.keys()
      if (oldest) remembered.delete(oldest)
    }
    remembered.set(digest, claims)
  }

  return {
    async signAccess(subject, seconds) {
      const issued = Math.floor(now().getTime() / 1000)
      return new SignJWT({ ...subject, type: 'access' })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: keys.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issued)
        .setExpirationTime(issued + seconds)
        .sign(keys.signing)
    },

    async verifyAccess(token) {
      const digest = createHash('sha256').update(token).digest('base64')
      const known = remembered.get(digest)
      if (known) {
        if (known.exp * 1000 > now().getTime()) return known
        remembered.delete(digest)
        throw tokenExpired()
      }
      const claims = readAccessClaims(await verify(token))
      if (!claims) throw tokenInvalid()
      remember(digest, claims)
      return claims
    },
  }

  async function verify(token: string): Promise<Record<string, unknown>> {
    try {
      const key = keys.verifying.get(decodeProtectedHeader(token).kid ?? '')
      if (!key) throw tokenInvalid()
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['RS256'],
        issuer,
        audience,
        requiredClaims: ['exp'],
        currentDate: now(),
      })
      return payload
    } catch (error) {
      throw error instanceof errors.JWTExpired ? tokenExpired() : tokenInvalid(error)
    }
  }
}

function tokenExpired(): Fault {
  return new Fault('unauthenticated', 'TOKEN_EXPIRED', 'The token has expired')
}

function tokenInvalid(cause?: unknown): Fault {
  return new Fault('unauthenticated', 'TOKEN_INVALID', 'The token is not valid', { cause })
}
