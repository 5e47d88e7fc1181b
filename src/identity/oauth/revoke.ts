import type { RevokeTokenRequest, RevokeTokenResponse } from '../../../gen/daikon/v1/oauth.ts'
import { recordActivity } from '../../activity/record-activity.ts'
import { inTransaction } from '../../database/transaction.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { denyToken } from '../queries.ts'
import { revokeRefreshFamilies } from '../refresh-families.ts'
import { authenticateClient } from './clients.ts'
import { oauthError } from './oauth-errors.ts'
import { findRefreshTokenSession, findScopeOfToken } from './user-queries.ts'
import { verifyUserToken } from './user-tokens.ts'

/**
 * The revocation endpoint (RFC 7009): denies an access token, or ends the session of a refresh
 * token. An invalid token is not an error, because it is already unusable (RFC 7009, 2.2).
 */
export async function revokeToken(
  context: IdentityContext,
  request: RevokeTokenRequest,
): Promise<RevokeTokenResponse> {
  const client = await authenticateClient(context.em, context.now, request)
  if (!request.token) throw oauthError('invalid_request', 'token is required')
  const token = await verifyUserToken(context, request.token)
  if (!token) return {}
  const { jti, sub, exp, type } = token
  return inTransaction(context.em, async (em) => {
    if (type === 'access') {
      const session = await findScopeOfToken(em, jti)
      if (session?.clientId !== client.id) throw issuedToAnother()
      await denyToken(em, { id: jti, expiresAt: new Date(exp * 1000) })
      return {}
    }
    const session = await findRefreshTokenSession(em, jti)
    if (!session) return {}
    if (session.clientId !== client.id) throw issuedToAnother()
    if ((await revokeRefreshFamilies(em, context.now, [session.familyId])) > 0) {
      await recordActivity(
        em,
        { actorId: sub },
        {
          action: 'session.revoked',
          targetId: session.familyId,
          detail: { user_id: sub, client_id: client.id },
        },
      )
    }
    return {}
  })
}

function issuedToAnother() {
  return oauthError('unauthorized_client', 'The token was issued to another client')
}
