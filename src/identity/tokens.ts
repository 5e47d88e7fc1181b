import { hash } from 'node:crypto'
import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'
import { Fault } from '../rpc/fault.ts'
import { audience, type Claims, readClaims, type Token, type TokenType } from './claims.ts'
import type { Keys } from './keys.ts'

/** Signs and verifies tokens (RFC 7519, RS256 alone). */
export type Tokens = {
  sign<Type extends TokenType>(type: Type, claims: Claims[Type], seconds: number): Promise<string>
  /**
   * The claims of a token that holds, at once where its signature is remembered; throws
   * unauthenticated. Says nothing of the denylist.
   */
  verify<Type extends TokenType>(type: Type, token: string): Token<Type> | Promise<Token<Type>>
}

type TokenParts = { keys: Keys; issuer: string; now: () => Date }

/** The most tokens whose verified signature is remembered. */
const mostRemembered = 50_000

/**
 * Tokens of this issuer. A verified signature is remembered by the token's SHA-256, never the token,
 * and never past its expiry; whether the token still holds is asked of the database at each call.
 */
export function createTokens({ keys, issuer, now }: TokenParts): Tokens {
  const remembered = new Map<string, Token<TokenType>>()

  function remember(digest: string, claims: Token<TokenType>) {
    if (remembered.size >= mostRemembered) {
      const [oldest] = remembered.keys()
      if (oldest) remembered.delete(oldest)
    }
    remembered.set(digest, claims)
  }

  return {
    async sign(type, claims, seconds) {
      const issued = Math.floor(now().getTime() / 1000)
      return new SignJWT({ ...claims, type })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: keys.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issued)
        .setExpirationTime(issued + seconds)
        .sign(keys.signing)
    },

    verify<Type extends TokenType>(type: Type, token: string) {
      const digest = hash('sha256', token, 'base64')
      const known = remembered.get(digest)
      if (!known) return verifyUnknown(type, token, digest)
      if (known.exp * 1000 <= now().getTime()) {
        remembered.delete(digest)
        throw tokenExpired()
      }
      if (known.type !== type) throw tokenInvalid()
      return known as unknown as Token<Type>
    },
  }

  async function verifyUnknown<Type extends TokenType>(type: Type, token: string, digest: string) {
    const claims = readClaims(type, await verifySignature(token))
    if (!claims) throw tokenInvalid()
    remember(digest, claims)
    return claims
  }

  async function verifySignature(token: string): Promise<Record<string, unknown>> {
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
