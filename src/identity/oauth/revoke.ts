import type { RevokeTokenRequest, RevokeTokenResponse } from '../../../gen/daikon/v1/oauth.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { authenticateClient } from './clients.ts'
import { oauthError } from './oauth-errors.ts'
import { verifyUserToken } from './user-tokens.ts'

/**
 * The revocation endpoint (RFC 7009): denies an access token, or ends the session of a refresh
 * token. An invalid token is not an error, because it is already unusable (RFC 7009, 2.2).
 */
export async function revokeToken(
  context: IdentityContext,
  request: RevokeTokenRequest,
): Promise<RevokeTokenResponse> {
  const { stores, now } = context
  const client = await authenticateClient(stores.clients, now, request)
  if (!request.token) throw oauthError('invalid_request', 'token is required')
  const token = await verifyUserToken(context, request.token)
  if (!token) return {}
  const { jti, sub, exp, type } = token
  return stores.transaction(async (tx) => {
    if (type === 'access') {
      const scope = await tx.sessions.findScopeOfAccessToken(jti)
      if (scope?.clientId !== client.id) throw issuedToAnother()
      await tx.revocations.deny({ id: jti, expiresAt: new Date(exp * 1000) })
      return {}
    }
    const session = await tx.sessions.findByRefreshToken(jti)
    if (!session) return {}
    const { sessionId, clientId } = session
    if (clientId !== client.id) throw issuedToAnother()
    if ((await tx.sessions.revoke([sessionId], now)) > 0) {
      const detail = { user_id: sub, client_id: client.id }
      const event = { action: 'session.revoked', targetId: sessionId, detail } as const
      await tx.activity.record({ actorId: sub }, event)
    }
    return {}
  })
}

function issuedToAnother() {
  return oauthError('unauthorized_client', 'The token was issued to another client')
}
