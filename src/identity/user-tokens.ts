import { decodeJwt } from 'jose'
import { apiKeyInvalid, looksLikeApiKey } from './api-keys.ts'
import { resourceType } from './claims.ts'
import type { ResourceServices } from './ports.ts'
import { digestToken, type TokenMemory, type UserClaims } from './token-memory.ts'
import type { Tokens } from './tokens.ts'
import { wrongAudience } from './user-errors.ts'

/** What verifies the access tokens of users. */
export type UserTokenDependencies = {
  memory: TokenMemory
  tokens: Pick<Tokens, 'verifyForResource' | 'verificationKeys'>
  resourceServices: ResourceServices
}

/**
 * Returns the claims of a valid access token that is not remembered, whether it is limited to an API or
 * not. Rejects with `unauthenticated`.
 */
export type VerifyUserToken = (token: string, digest: string, now: Date) => Promise<UserClaims>

export function createVerifyUserToken({
  memory,
  tokens,
  resourceServices,
}: UserTokenDependencies): VerifyUserToken {
  return async (token, digest, now) => {
    if (!claimsResource(token))
      return (await memory.findOrVerify('access', token, digest, now)) as UserClaims
    const keys = tokens.verificationKeys()
    const { sub, jti, exp, wid, aud } = await tokens.verifyForResource(token)
    // The URI may be registered for another service only once its tokens have been revoked.
    const forService = await resourceServices.find(aud)
    if (forService === undefined) throw wrongAudience()
    const user = { sub, jti, exp, wid, email: '', forService }
    // The keys may have been replaced meanwhile.
    if (keys === tokens.verificationKeys()) memory.remember(digest, { user }, exp * 1000, now)
    return user
  }
}

/** Whether a token claims to be limited to an API. Its signature is verified later. */
function claimsResource(token: string): boolean {
  try {
    return decodeJwt(token).type === resourceType
  } catch {
    return false
  }
}

/**
 * Returns the claims of a valid access token. Rejects with `unauthenticated`, also for an API key
 * that is remembered as a token.
 */
export type VerifyAccessToken = (token: string) => Promise<UserClaims>

export function createVerifyAccessToken(
  dependencies: UserTokenDependencies,
  now: () => Date,
): VerifyAccessToken {
  const verify = createVerifyUserToken(dependencies)
  return async (token) => {
    if (looksLikeApiKey(token)) throw apiKeyInvalid()
    const date = now()
    const digest = digestToken('access', token)
    return dependencies.memory.find(digest, date)?.user ?? verify(token, digest, date)
  }
}
