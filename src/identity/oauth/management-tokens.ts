import { randomUUID } from 'node:crypto'
import type { OAuthTokenRequest, OAuthTokenResponse } from '../../../gen/daikon/v1/oauth.ts'
import { includesScope } from '../../core/scopes.ts'
import { isUuid } from '../../core/uuid.ts'
import { expiryOf } from '../claims.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { isManagementSecret } from '../management-apps.ts'
import { hashSecret } from '../secret.ts'
import { clientTokenSeconds, createClientTokenResponse } from './client-tokens.ts'
import { oauthError } from './oauth-errors.ts'

/**
 * Issues a token to a management app (RFC 6749, section 4.4). The app's scopes are read whenever the
 * token is used, so the token contains them only if the app asks for fewer.
 */
export async function issueManagementToken(
  { stores, identity }: Pick<IdentityContext, 'stores' | 'identity'>,
  { id = '', secret }: { id: string | undefined; secret: string },
  { scope: requested = '' }: Pick<OAuthTokenRequest, 'scope'>,
): Promise<OAuthTokenResponse> {
  const { clock, tokens } = identity
  const issuedAt = clock()
  const jti = randomUUID()
  const isPlausible = isUuid(id) && isManagementSecret(secret)
  const sub = id.toLowerCase()
  const scope = await stores.transaction(async (tx) => {
    const scopes = isPlausible
      ? await tx.managementApps.useSecret(sub, hashSecret(secret), issuedAt)
      : undefined
    if (!scopes) throw oauthError('invalid_client', unknownApp)
    const names = requested.split(' ').filter((name) => name !== '')
    if (names.some((name) => !includesScope(scopes, name)))
      throw oauthError('invalid_scope', 'scope exceeds the scopes of the management app')
    const expiresAt = expiryOf(issuedAt, clientTokenSeconds)
    await tx.revocations.recordClientToken({ id: jti, clientId: sub, expiresAt })
    return { granted: names.length > 0 ? names : scopes, isNarrower: names.length > 0 }
  })
  const granted = scope.granted.join(' ')
  const claims = { sub, jti, ...(scope.isNarrower && { scope: granted }) }
  const access_token = await tokens.sign('management', claims, clientTokenSeconds, issuedAt)
  return createClientTokenResponse({ access_token, scope: granted, workspace_id: '' })
}

const unknownApp = 'The management app is unknown or inactive, or its secret is wrong'
