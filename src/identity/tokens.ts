import { decodeProtectedHeader, errors, type JWTPayload, jwtVerify, SignJWT } from 'jose'
import { ServiceError } from '../core/errors.ts'
import {
  type Claims,
  expiryOf,
  readClaims,
  type Token,
  type TokenType,
  tokenKinds,
} from './claims.ts'
import type { Keys } from './keys.ts'

/** Signs and verifies JSON Web Tokens (RFC 7519) with RS256. */
export type Tokens = {
  /** Signs a token that is issued at `issuedAt`, by default now, and expires at `expiryOf` that. */
  sign<Type extends TokenType>(
    type: Type,
    claims: Claims[Type],
    seconds: number,
    issuedAt?: Date,
  ): Promise<string>
  /** Returns the claims of a valid token; throws unauthenticated. Does not read the denylist. */
  verify<Type extends TokenType>(type: Type, token: string): Promise<Token<Type>>
}

type TokenDependencies = { keys: Keys; issuer: string; now: () => Date }

/** Creates the signer and verifier of this issuer. */
export function createTokens({ keys, issuer, now }: TokenDependencies): Tokens {
  return {
    async sign(type, claims, seconds, issuedAt = now()) {
      const { typ, audience } = tokenKinds[type]
      return new SignJWT({ ...claims, type })
        .setProtectedHeader({ alg: 'RS256', typ, kid: keys.kid })
        .setIssuer(issuer)
        .setAudience(audience)
        .setIssuedAt(issuedAt)
        .setExpirationTime(expiryOf(issuedAt, seconds))
        .sign(keys.signing)
    },

    async verify(type, token) {
      const claims = readClaims(type, await verifySignature(type, token))
      if (!claims) throw tokenInvalid()
      return claims
    },
  }

  async function verifySignature(type: TokenType, token: string): Promise<JWTPayload> {
    const { typ, audience } = tokenKinds[type]
    try {
      const key = keys.verifying.get(decodeProtectedHeader(token).kid ?? '')
      if (!key) throw tokenInvalid()
      const { payload, protectedHeader } = await jwtVerify(token, key, {
        algorithms: ['RS256'],
        issuer,
        audience,
        typ,
        requiredClaims: ['exp'],
        currentDate: now(),
      })
      // jose also accepts `application/` before the typ, and an array that contains the audience.
      if (protectedHeader.typ !== typ || payload.aud !== audience) throw tokenInvalid()
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
