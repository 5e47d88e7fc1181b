import type { RevokeTokenRequest, RevokeTokenResponse } from '../../../gen/daikon/v1/oauth.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import type { ExternalId } from '../ports.ts'
import { authenticateExternalClient, identifyExternalClient } from './external-clients.ts'
import { findOrigin, type IssuedToken, verifyIssuedToken } from './issued-tokens.ts'
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
  const external = identifyExternalClient(context, request)
  const app = external ? undefined : await authenticateApp(context, request)
  if (!request.token) throw oauthError('invalid_request', 'token is required')
  const token = await verifyIssuedToken(context, request.token)
  if (!token) return {}
  const client = external ? await authenticateOwner(context, external, request, token) : app
  if (!client) return {}
  const { jti, sub, exp } = token
  return stores.transaction(async (tx) => {
    const origin = await findOrigin(tx, token)
    if (!origin) return {}
    const { clientId, sessionId } = origin
    if (clientId !== client.id) throw ofOtherClient()
    if (token.type !== 'refresh') {
      await tx.revocations.deny({ id: jti, expiresAt: new Date(exp * 1000) })
    } else if (sessionId && (await tx.sessions.revoke([sessionId], now)) > 0) {
      const detail = { user_id: sub, client_id: external?.url ?? client.id }
      const event = { action: 'session.revoked', targetId: sessionId, detail } as const
      await tx.activity.record({ actorId: sub }, event)
    }
    return {}
  })
}

/**
 * Authenticates a client that nobody registered, for the live session of its token. Returns undefined if the
 * session has ended, and the token with it.
 */
async function authenticateOwner(
  context: IdentityContext,
  external: ExternalId,
  request: RevokeTokenRequest,
  token: IssuedToken,
): Promise<{ id: string } | undefined> {
  const origin = await findOrigin(context.stores, token)
  if (!origin || origin.clientId === external.url) return undefined
  if (origin.clientId !== external.id) throw ofOtherClient()
  return authenticateExternalClient(context, external, request, { userId: token.sub })
}

function ofOtherClient() {
  return oauthError('unauthorized_client', 'The token was issued to another client')
}
