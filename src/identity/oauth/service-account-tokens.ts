import type { OAuthTokenResponse } from '../../../gen/daikon/v1/oauth.ts'
import { expiryOf } from '../claims.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { clientTokenSeconds, createClientTokenResponse } from './client-tokens.ts'
import type { OAuthClient } from './clients.ts'
import { oauthError } from './oauth-errors.ts'

/**
 * Issues an access token for the service account of a client app (RFC 6749, section 4.4). It is recorded,
 * so that it can be ended before it expires.
 */
export async function issueServiceAccountToken(
  { stores, identity }: Pick<IdentityContext, 'stores' | 'identity'>,
  { id: clientId }: OAuthClient,
): Promise<OAuthTokenResponse> {
  const { clock, tokens } = identity
  const issued = await stores.transaction(async (tx) => {
    const account = await tx.clients.lockServiceAccount(clientId)
    if (!account) {
      const detail =
        'The client app has no service account, which client_credentials requires. To sign users in, send grant_type=authorization_code with the code'
      throw oauthError('unauthorized_client', detail)
    }
    const claims = await tx.claims.findAccessClaims(account)
    if (!claims) throw oauthError('invalid_grant', 'The service account is not active')
    const issuedAt = clock()
    const expiresAt = expiryOf(issuedAt, clientTokenSeconds)
    const { jti: id, sub: userId } = claims
    await tx.revocations.recordClientToken({ id, clientId, userId, expiresAt })
    return { claims: { ...claims, client_id: clientId }, issuedAt }
  })
  const { claims, issuedAt } = issued
  const access_token = await tokens.sign('access', claims, clientTokenSeconds, issuedAt)
  return createClientTokenResponse({ access_token, workspace_id: claims.wid })
}
