import type { OAuthTokenRequest, OAuthTokenResponse } from '../../../gen/daikon/v1/oauth.ts'
import { isUuid } from '../../core/uuid.ts'
import { redeemCode, type StoredCode } from '../authorization-codes.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { listWorkspacesOfUser } from '../queries.ts'
import { type IssuedTokens, rotateTokens } from '../refresh-families.ts'
import { authenticateClient, type OAuthClient } from './clients.ts'
import { signIdToken } from './id-tokens.ts'
import { oauthError, toGrantError } from './oauth-errors.ts'

/** The token endpoint: exchanges a code or a refresh token of an authenticated client. */
export async function issueToken(
  context: IdentityContext,
  request: OAuthTokenRequest,
): Promise<OAuthTokenResponse> {
  const client = await authenticateClient(context.em, context.now, request)
  try {
    return await toResponse(context, client, await redeemGrant(context, client, request))
  } catch (error) {
    throw toGrantError(error)
  }
}

function redeemGrant(
  context: IdentityContext,
  client: OAuthClient,
  request: OAuthTokenRequest,
): Promise<IssuedTokens> {
  switch (request.grant_type) {
    case 'authorization_code':
      return redeemCodeGrant(context, client, request)
    case 'refresh_token':
      return redeemRefreshGrant(context, client, request)
    case undefined:
    case '':
      throw oauthError('invalid_request', 'grant_type is required')
    default:
      throw oauthError(
        'unsupported_grant_type',
        'grant_type must be authorization_code or refresh_token',
      )
  }
}

function redeemCodeGrant(
  context: IdentityContext,
  client: OAuthClient,
  { code, code_verifier: verifier, redirect_uri, user_agent: userAgent }: OAuthTokenRequest,
): Promise<IssuedTokens> {
  if (!code) throw oauthError('invalid_request', 'code is required')
  if (!verifier) throw oauthError('invalid_request', 'code_verifier is required (PKCE)')
  return redeemCode(context, { code, verifier, userAgent }, async (stored) => {
    if (stored.client_id !== client.id)
      throw oauthError('invalid_grant', 'The code was issued to another client')
    if (stored.redirect_uri && stored.redirect_uri !== redirect_uri) {
      throw oauthError(
        'invalid_grant',
        'redirect_uri does not match that of the authorization request',
      )
    }
    return stored.workspace_id ?? requireOnlyWorkspace(context, stored)
  })
}

/**
 * Returns the user's only workspace. A code of `/auth/login` is not bound to a workspace, and the
 * authorization code grant has no parameter to choose one.
 */
async function requireOnlyWorkspace(
  { em }: IdentityContext,
  { user_id }: StoredCode,
): Promise<string> {
  const [only, ...others] = await listWorkspacesOfUser(em, user_id)
  if (only && others.length === 0) return only.id
  throw oauthError('invalid_grant', 'The user must choose a workspace at /oauth/authorize')
}

function redeemRefreshGrant(
  context: IdentityContext,
  client: OAuthClient,
  { refresh_token: refreshToken, workspace_id, scope = '' }: OAuthTokenRequest,
): Promise<IssuedTokens> {
  if (!refreshToken) throw oauthError('invalid_request', 'refresh_token is required')
  if (workspace_id !== undefined && !isUuid(workspace_id))
    throw oauthError('invalid_request', 'workspace_id must be a UUID')
  return rotateTokens(context, {
    refreshToken,
    workspaceId: workspace_id?.toLowerCase(),
    async authorizeClient(_em, family) {
      if (family.client_id !== client.id)
        throw oauthError('invalid_grant', 'The refresh token was issued to another client')
      const granted = (family.scope ?? '').split(' ')
      if (scope.split(' ').some((name) => name !== '' && !granted.includes(name)))
        throw oauthError('invalid_scope', 'scope exceeds the scope of the session')
    },
  })
}

async function toResponse(
  context: IdentityContext,
  client: OAuthClient,
  { family, claims, ...issued }: IssuedTokens,
): Promise<OAuthTokenResponse> {
  const scope = family.scope ?? ''
  const session = {
    id: family.id,
    clientId: client.id,
    userId: claims.sub,
    scope,
    workspace: { id: claims.wid, slug: claims.wslug },
    authenticatedAt: family.authenticatedAt,
    acr: family.acr,
    amr: family.amr ?? [],
    nonce: family.nonce,
  }
  const { em } = context
  const id_token = scope.split(' ').includes('openid')
    ? await signIdToken(em, context, session, issued.accessToken, issued.issuedAt)
    : undefined
  return {
    access_token: issued.accessToken,
    token_type: 'Bearer',
    expires_in: issued.accessSeconds,
    refresh_token: issued.refreshToken,
    refresh_expires_in: issued.refreshSeconds,
    scope,
    workspace_id: claims.wid,
    ...(id_token !== undefined && { id_token }),
  }
}
