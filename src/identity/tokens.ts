import { decodeProtectedHeader, errors, jwtVerify, SignJWT } from 'jose'
import { ServiceError } from '../core/errors.ts'
import { audience, type Claims, readClaims, type Token, type TokenType } from './claims.ts'
import type { Keys } from './keys.ts'

/** Signs and verifies JSON Web Tokens (RFC 7519) with RS256. */
export type Tokens = {
  /** Signs a token that expires after `seconds`. */
  sign<Type extends TokenType>(type: Type, claims: Claims[Type], seconds: number): Promise<string>
  /** Returns the claims of a valid token; throws unauthenticated. Does not read the denylist. */
  verify<Type extends TokenType>(type: Type, token: string): Promise<Token<Type>>
}

type TokenDependencies = { keys: Keys; issuer: string; now: () => Date }

/** Creates the signer and verifier of this issuer. */
export function createTokens({ keys, issuer, now }: TokenDependencies): Tokens {
  return {
    async sign(type, claims, seconds) {
      const issuedAt = Math.floor(now().getTime() / 1000)
      return new SignJWT({ ...claims, type })
        .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: keys.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(issuedAt + seconds)
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
