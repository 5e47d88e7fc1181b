import type { RevokeTokenRequest, RevokeTokenResponse } from '../../../gen/daikon/v1/oauth.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { findOrigin, verifyIssuedToken } from './issued-tokens.ts'
import { authenticateApp } from './management-tokens.ts'
import { oauthError } from './oauth-errors.ts'

/**
 * The revocation endpoint (RFC 7009): denies an access token or the token of a management app, or ends
 * the session of a refresh token. An invalid token is not an error, because it is already unusable
 * (RFC 7009, 2.2).
 */
export async function revokeToken(
  context: IdentityContext,
  request: RevokeTokenRequest,
): Promise<RevokeTokenResponse> {
  const { stores, now } = context
  const client = await authenticateApp(context, request)
  if (!request.token) throw oauthError('invalid_request', 'token is required')
  const token = await verifyIssuedToken(context, request.token)
  if (!token) return {}
  const { jti, sub, exp } = token
  return stores.transaction(async (tx) => {
    const origin = await findOrigin(tx, token)
    if (!origin) return {}
    const { clientId, sessionId } = origin
    if (clientId !== client.id)
      throw oauthError('unauthorized_client', 'The token was issued to another client')
    if (token.type !== 'refresh') {
      await tx.revocations.deny({ id: jti, expiresAt: new Date(exp * 1000) })
    } else if (sessionId && (await tx.sessions.revoke([sessionId], now)) > 0) {
      const detail = { user_id: sub, client_id: client.id }
      const event = { action: 'session.revoked', targetId: sessionId, detail } as const
      await tx.activity.record({ actorId: sub }, event)
    }
    return {}
  })
}
