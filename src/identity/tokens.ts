import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'
import { ServiceError } from '../core/errors.ts'
import { audience, type Claims, readClaims, type Token, type TokenType } from './claims.ts'
import type { Keys } from './keys.ts'

/** Signs and verifies tokens (RFC 7519, RS256 alone). */
export type Tokens = {
  sign<Type extends TokenType>(type: Type, claims: Claims[Type], seconds: number): Promise<string>
  /** The claims of a token that holds; throws unauthenticated. Says nothing of the denylist. */
  verify<Type extends TokenType>(type: Type, token: string): Promise<Token<Type>>
}

type TokenParts = { keys: Keys; issuer: string; now: () => Date }

/** Tokens of this issuer. */
export function createTokens({ keys, issuer, now }: TokenParts): Tokens {
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

    async verify(type, token) {
      const claims = readClaims(type, await verifySignature(token))
      if (!claims) throw tokenInvalid()
      return claims
    },
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

function tokenExpired(): ServiceError {
  return new ServiceError('unauthenticated', 'TOKEN_EXPIRED', 'The token has expired')
}

function tokenInvalid(cause?: unknown): ServiceError {
  return new ServiceError('unauthenticated', 'TOKEN_INVALID', 'The token is not valid', { cause })
}
