import { randomUUID } from 'node:crypto'
import type { OAuthTokenRequest, OAuthTokenResponse } from '../../../gen/daikon/v1/oauth.ts'
import { includesScope } from '../../core/scopes.ts'
import { isUuid } from '../../core/uuid.ts'
import { expiryOf } from '../claims.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { isManagementSecret, looksLikeManagementSecret } from '../management-apps.ts'
import { hashSecret } from '../secret.ts'
import { clientTokenSeconds, createClientTokenResponse } from './client-tokens.ts'
import {
  authenticateClientWithAssertion,
  type ClientCredentials,
  type OAuthClient,
  type PresentedCredentials,
  readCredentials,
} from './clients.ts'
import { oauthError } from './oauth-errors.ts'

/**
 * Issues a token to a management app (RFC 6749, section 4.4). The app's scopes are read whenever the
 * token is used, so the token contains them only if the app asks for fewer.
 */
export async function issueManagementToken(
  { stores, identity }: Pick<IdentityContext, 'stores' | 'identity'>,
  credentials: PresentedCredentials,
  { scope: requested = '' }: Pick<OAuthTokenRequest, 'scope'>,
): Promise<OAuthTokenResponse> {
  const { clock, tokens } = identity
  const issuedAt = clock()
  const jti = randomUUID()
  const { sub, scope } = await stores.transaction(async (tx) => {
    const { id: sub, scopes } = await authenticateManagementApp(tx, credentials, issuedAt)
    const names = requested.split(' ').filter((name) => name !== '')
    if (names.some((name) => !includesScope(scopes, name)))
      throw oauthError('invalid_scope', 'scope exceeds the scopes of the management app')
    const expiresAt = expiryOf(issuedAt, clientTokenSeconds)
    await tx.revocations.recordClientToken({ id: jti, clientId: sub, expiresAt })
    const isNarrower = names.length > 0
    return { sub, scope: { granted: isNarrower ? names : scopes, isNarrower } }
  })
  const granted = scope.granted.join(' ')
  const claims = { sub, jti, ...(scope.isNarrower && { scope: granted }) }
  const access_token = await tokens.sign('management', claims, clientTokenSeconds, issuedAt)
  return createClientTokenResponse({ access_token, scope: granted, workspace_id: '' })
}

/**
 * Authenticates the client app or management app of a request, by each method of the token endpoint.
 * Returns the scopes of a management app. Throws `invalid_client` if the authentication fails.
 */
export async function authenticateApp(
  context: Pick<IdentityContext, 'stores' | 'now' | 'identity'>,
  request: ClientCredentials,
): Promise<
  Pick<OAuthClient, 'id'> & { type: OAuthClient['type'] | 'management'; scopes?: string[] }
> {
  const credentials = readCredentials(request)
  if (!looksLikeManagementSecret(credentials.secret))
    return authenticateClientWithAssertion(context, request)
  const app = await authenticateManagementApp(context.stores, credentials, context.now)
  return { ...app, type: 'management' }
}

async function authenticateManagementApp(
  { managementApps }: Pick<IdentityContext['stores'], 'managementApps'>,
  { id = '', secret }: PresentedCredentials,
  now: Date,
): Promise<{ id: string; scopes: string[] }> {
  const appId = id.toLowerCase()
  const scopes =
    isUuid(id) && isManagementSecret(secret)
      ? await managementApps.useSecret(appId, hashSecret(secret), now)
      : undefined
  if (scopes) return { id: appId, scopes }
  throw oauthError(
    'invalid_client',
    'The management app is unknown or inactive, or its secret is wrong',
  )
}
