import { decodeJwt } from 'jose'
import { apiKeyInvalid, looksLikeApiKey } from './api-keys.ts'
import { delegatedKind, resourceType } from './claims.ts'
import type { ResourceServices } from './ports.ts'
import { digestToken, type TokenMemory, type UserClaims } from './token-memory.ts'
import type { Tokens } from './tokens.ts'
import { wrongAudience } from './user-errors.ts'

/** What verifies the access tokens of users. */
export type UserTokenDependencies = {
  memory: TokenMemory
  tokens: Pick<Tokens, 'verifyForResource' | 'verifyDelegated' | 'verificationKeys'>
  resourceServices: ResourceServices
}

/**
 * Returns the claims of a valid access token that is not remembered, whether it is limited to an API,
 * delegated or neither. Rejects with `unauthenticated`.
 */
export type VerifyUserToken = (token: string, digest: string, now: Date) => Promise<UserClaims>

export function createVerifyUserToken({
  memory,
  tokens,
  resourceServices,
}: UserTokenDependencies): VerifyUserToken {
  /** Verifies the tokens of a `type`. Tokens of other types are for daikon itself. */
  const verifiers: Record<string, (token: string) => Promise<UserClaims>> = {
    async [resourceType](token) {
      const { sub, jti, exp, wid, aud } = await tokens.verifyForResource(token)
      return { sub, jti, exp, wid, email: '', forService: await requireService(aud) }
    },

    async [delegatedKind.type](token) {
      const { sub, jti, exp, wid, aud, act, delegation_id } = await tokens.verifyDelegated(token)
      const delegation = { id: delegation_id, agent: { type: act.typ, id: act.sub } }
      const user = { sub, jti, exp, wid, email: '', delegation }
      if (aud === delegatedKind.audience) return user
      return { ...user, forService: await requireService(aud) }
    },
  }

  async function requireService(uri: string): Promise<string> {
    // The URI may be registered for another service only once its tokens have been revoked.
    const service = await resourceServices.find(uri)
    if (service === undefined) throw wrongAudience()
    return service
  }

  return async (token, digest, now) => {
    const type = readType(token)
    const verify = Object.hasOwn(verifiers, type) ? verifiers[type] : undefined
    if (!verify) return (await memory.findOrVerify('access', token, digest, now)) as UserClaims
    const keys = tokens.verificationKeys()
    const user = await verify(token)
    // The keys may have been replaced meanwhile.
    if (keys === tokens.verificationKeys()) memory.remember(digest, { user }, user.exp * 1000, now)
    return user
  }
}

/** Returns the `type` that a token claims to have. Its signature is verified later. */
function readType(token: string): string {
  try {
    return String(decodeJwt(token).type)
  } catch {
    return ''
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
