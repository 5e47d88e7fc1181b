import type { PrincipalStatus } from '../../core/caller.ts'
import type { CredentialKind, CredentialVariant } from '../../core/credential-kind.ts'
import { ServiceError } from '../../core/errors.ts'
import { reasons as coreReasons } from '../../core/reasons.ts'
import type { UserPrincipal } from '../../core/request-context.ts'
import { atLeast } from '../../core/roles.ts'
import {
  apiKeyInvalid,
  apiKeyPrefix,
  type FindApiKey,
  looksLikeApiKey,
  maxKeyMemory,
} from '../api-keys.ts'
import { reasons } from '../reasons.ts'
import { digestToken, type TokenMemory, type UserClaims } from '../token-memory.ts'
import type { VerifyUserToken } from '../user-tokens.ts'
import { hasAuthorization, requireBearer } from './bearer.ts'
import { requireLiveToken, tokenRevoked } from './live-token.ts'
import { serviceAccount } from './service-account.ts'

/**
 * The access token of a user, or the API key of a service account: `authorization: Bearer <token>`.
 */
export function createUserKind(
  memory: TokenMemory,
  verifyUserToken: VerifyUserToken,
  findApiKey: FindApiKey,
  variants: CredentialVariant[],
): CredentialKind<UserClaims> {
  /** API keys are remembered like tokens. Whether one has ended is checked on every call. */
  async function verifyApiKey(key: string, digest: string, now: Date): Promise<UserClaims> {
    const owner = await findApiKey(key, now)
    if (!owner) throw apiKeyInvalid()
    const { keyId: jti, userId: sub, workspaceId: wid } = owner
    const memoryEnd = Math.floor(now.getTime() / 1000) + maxKeyMemory
    const exp = owner.expiresAt ?? memoryEnd
    const user = { sub, jti, wid, exp, email: '', apiKeyPrefix: apiKeyPrefix(key) }
    memory.remember(digest, { user }, Math.min(exp, memoryEnd) * 1000, now)
    return user
  }

  return {
    name: 'user',
    provesCaller: true,
    variants,
    isPresented: hasAuthorization,

    verify(credentials, _policy, now, onlyRemembered) {
      const token = requireBearer(credentials)
      credentials.digest ??= digestToken('access', token)
      const { digest } = credentials
      const remembered = memory.find(digest, now)
      if (remembered) return remembered.user
      if (!looksLikeApiKey(token)) return verifyUserToken(token, digest, now)
      return onlyRemembered ? undefined : verifyApiKey(token, digest, now)
    },

    identify({ jti, sub, wid, delegation }, caller) {
      caller.tokenId = jti
      caller.userId = sub
      caller.workspaceId = wid
      if (delegation) caller.delegationId = delegation.id
    },

    authenticate(principal, claims, status) {
      principal.user = requireActiveUser(status, claims)
    },

    authorize({ user }, { workspaceField, leastRole }, request) {
      if (!user) return
      // An omitted optional workspace defaults to the workspace of the token.
      if (workspaceField && request[workspaceField] !== undefined) {
        if (request[workspaceField] !== user.workspaceId)
          throw new ServiceError(reasons.OTHER_WORKSPACE)
      }
      if (leastRole && !atLeast(user.role, leastRole))
        throw new ServiceError(coreReasons.ROLE_TOO_LOW, `Requires the role ${leastRole} or higher`)
    },

    tenants({ sub, wid }, principal) {
      if (principal && !principal.user) return []
      return [
        { key: `workspace ${wid}`, of: 'workspace' },
        { key: `user ${sub}`, of: 'user' },
      ]
    },

    windows: ({ variants: taken }) =>
      taken.includes(serviceAccount) ? ['service', 'user'] : ['user'],

    clientIn(window, { sub, jti, apiKeyPrefix: prefix }) {
      if (window === 'user') return `user ${sub}`
      return prefix && `api key ${jti}`
    },
  }
}

function requireActiveUser(status: PrincipalStatus, claims: UserClaims): UserPrincipal {
  const token = requireLiveToken(status, claims)
  // The user has left the workspace, or the workspace has been deleted.
  if (!status.role) throw tokenRevoked()
  const { sub: id, wid: workspaceId, email } = claims
  const { apiKeyPrefix, connectionId, forService, delegation } = claims
  const { role, isServiceAccount, isGuest } = status
  const member = { id, workspaceId, email, role, isGuest, isServiceAccount }
  return { ...member, token, apiKeyPrefix, connectionId, forService, delegation }
}
