import type { OAuthTokenRequest, OAuthTokenResponse } from '../../../gen/daikon/v1/oauth.ts'
import { isUuid } from '../../core/uuid.ts'
import type { FindApiKey } from '../api-keys.ts'
import { redeemCode } from '../authorization-codes.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { looksLikeManagementSecret } from '../management-apps.ts'
import type { ExternalId } from '../ports.ts'
import { type IssuedTokens, rotateTokens } from '../session-tokens.ts'
import type { StoredCode } from '../store/code-store.ts'
import { type TokenExchange, tokenExchangeGrant } from '../token-exchange.ts'
import { grantScope } from './authorization-request.ts'
import { authenticateClientWithAssertion, type OAuthClient, readCredentials } from './clients.ts'
import {
  authenticateExternalClient,
  identifyExternalClient,
  requireGrantOwner,
} from './external-clients.ts'
import { signIdToken } from './id-tokens.ts'
import { issueManagementToken } from './management-tokens.ts'
import { oauthError, toGrantError } from './oauth-errors.ts'
import { issueServiceAccountToken } from './service-account-tokens.ts'
import { requireBoundWorkspace } from './session-client.ts'
import { findTarget, type Target } from './target.ts'

type TokenContext = IdentityContext & { findApiKey: FindApiKey; tokenExchange: TokenExchange }

type Grant = (context: TokenContext, request: OAuthTokenRequest) => Promise<OAuthTokenResponse>

/** The grant types, in the order of the metadata. */
const grants: Record<string, Grant> = {
  authorization_code: (context, request) => redeemGrant(context, request, redeemCodeGrant),
  refresh_token: (context, request) => redeemGrant(context, request, redeemRefreshGrant),
  client_credentials: issueClientToken,
  [tokenExchangeGrant]: (context, request) => context.tokenExchange.exchange(context, request),
}

/** Returns the grant types that the server supports. */
export function listGrantTypes({ isEnabled }: TokenExchange): string[] {
  return Object.keys(grants).filter((type) => isEnabled || type !== tokenExchangeGrant)
}

/**
 * The token endpoint: exchanges a code or a refresh token of an authenticated client, or issues a token
 * to a client on its own behalf, or to an agent that acts for a user.
 */
export async function issueToken(
  context: TokenContext,
  request: OAuthTokenRequest,
): Promise<OAuthTokenResponse> {
  requireDistinct(request)
  const { grant_type: type } = request
  const supported = listGrantTypes(context.tokenExchange)
  const grant = type && supported.includes(type) ? grants[type] : undefined
  if (grant) return grant(context, request)
  // A client that cannot authenticate learns that first.
  if (!identifyExternalClient(context, request))
    await authenticateClientWithAssertion(context, request)
  if (!type) throw oauthError('invalid_request', 'grant_type is required')
  throw oauthError('unsupported_grant_type', `grant_type must be one of ${supported.join(', ')}`)
}

/** Issues a token to a client on its own behalf (RFC 6749, section 4.4). */
async function issueClientToken(
  context: TokenContext,
  request: OAuthTokenRequest,
): Promise<OAuthTokenResponse> {
  if (request.resource)
    throw oauthError('invalid_target', 'client_credentials issues no tokens for a resource')
  const credentials = readCredentials(request)
  if (looksLikeManagementSecret(credentials.secret))
    return issueManagementToken(context, credentials, request)
  if (identifyExternalClient(context, request))
    throw oauthError(
      'unauthorized_client',
      'A client that is known by its URL acts for users alone',
    )
  return issueServiceAccountToken(context, await authenticateClientWithAssertion(context, request))
}

type Redeem = (
  context: IdentityContext,
  client: OAuthClient,
  request: OAuthTokenRequest,
) => Promise<IssuedTokens>

/** Exchanges what a client obtained from a user. */
async function redeemGrant(
  context: IdentityContext,
  request: OAuthTokenRequest,
  redeem: Redeem,
): Promise<OAuthTokenResponse> {
  const external = identifyExternalClient(context, request)
  const client = external
    ? await authenticateExternalGrant(context, external, request)
    : await authenticateClientWithAssertion(context, request)
  try {
    return await toResponse(context, client, await redeem(context, client, request))
  } catch (error) {
    throw toGrantError(error)
  }
}

/** Authenticates a client that nobody registered, if it has a live code or session. */
async function authenticateExternalGrant(
  context: IdentityContext,
  external: ExternalId,
  request: OAuthTokenRequest,
): Promise<OAuthClient> {
  const owner = await requireGrantOwner(context, external, request)
  return authenticateExternalClient(context, external, request, owner)
}

/** Parameters must not be repeated (RFC 6749, 3.2). */
function requireDistinct({ repeated_parameters: [repeated] }: OAuthTokenRequest): void {
  if (repeated === undefined) return
  const error = repeated === 'resource' ? 'invalid_target' : 'invalid_request'
  throw oauthError(error, `${repeated} must not be repeated`)
}

async function redeemCodeGrant(
  context: IdentityContext,
  client: OAuthClient,
  request: OAuthTokenRequest,
): Promise<IssuedTokens> {
  const { code, code_verifier: verifier, redirect_uri, user_agent: userAgent } = request
  if (!code) throw oauthError('invalid_request', 'code is required')
  if (!verifier && client.type === 'public')
    throw oauthError('invalid_request', 'code_verifier is required (PKCE)')
  return redeemCode(context, { code, verifier, userAgent }, async (stored) => {
    if (stored.clientId !== client.id)
      throw oauthError('invalid_grant', 'The code was issued to another client')
    if (stored.redirectUri && stored.redirectUri !== redirect_uri) {
      throw oauthError('invalid_grant', 'redirect_uri differs from the authorization request')
    }
    const workspaceId = stored.workspaceId ?? (await requireOnlyWorkspace(context, client, stored))
    requireBoundWorkspace(client.workspaceId, workspaceId)
    const target = await findTarget(context.stores.tokenResources, stored, request)
    requireTarget(client, target)
    return { workspaceId, target, clientUrl: client.url }
  })
}

/**
 * Returns the workspace of the client app, or else the only one that the user has joined. A code of
 * `/auth/login` is not bound to a workspace, and the authorization code grant has no parameter to
 * choose one.
 */
async function requireOnlyWorkspace(
  { stores }: IdentityContext,
  { workspaceId }: OAuthClient,
  { userId }: StoredCode,
): Promise<string> {
  const workspaces = await stores.claims.listWorkspaces(userId)
  const [only, ...others] = workspaces.filter(
    ({ id, status }) => status === 'active' && (workspaceId === null || id === workspaceId),
  )
  if (only && others.length === 0) return only.id
  throw oauthError('invalid_grant', 'The user must choose a workspace at /oauth/authorize')
}

function redeemRefreshGrant(
  context: IdentityContext,
  client: OAuthClient,
  request: OAuthTokenRequest,
): Promise<IssuedTokens> {
  const { refresh_token: refreshToken, workspace_id, scope = '' } = request
  if (!refreshToken) throw oauthError('invalid_request', 'refresh_token is required')
  if (workspace_id !== undefined && !isUuid(workspace_id))
    throw oauthError('invalid_request', 'workspace_id must be a UUID')
  return rotateTokens(context, {
    refreshToken,
    workspaceId: workspace_id,
    async authorizeClient(tx, session) {
      if (session.clientId !== client.id)
        throw oauthError('invalid_grant', 'The refresh token was issued to another client')
      const target = await findTarget(tx.tokenResources, session, request)
      requireTarget(client, target)
      if (target && workspace_id && workspace_id !== session.workspaceId)
        throw oauthError('invalid_request', 'A session for a resource stays in its workspace')
      const accessScope = narrowScope(target?.scope ?? session.scope ?? '', scope) ?? target?.scope
      return { accessScope, boundTo: client.workspaceId, target, clientUrl: client.url }
    },
  })
}

/** Throws if a client that nobody registered would get a token for daikon itself. */
function requireTarget({ url }: OAuthClient, target: Target | undefined): void {
  if (url && !target) throw oauthError('invalid_target', 'The resource does not exist any more')
}

/**
 * Returns the requested part of a session's scope, or undefined if no scope is requested. Throws if
 * the request exceeds the session's scope (RFC 6749, section 6).
 */
function narrowScope(granted: string, requested: string): string | undefined {
  const names = requested.split(' ').filter((name) => name !== '')
  if (names.length === 0) return undefined
  const grantedNames = granted.split(' ')
  if (names.some((name) => !grantedNames.includes(name)))
    throw oauthError('invalid_scope', 'scope exceeds the scope of the session')
  return grantedNames.filter((name) => names.includes(name)).join(' ')
}

async function toResponse(
  context: IdentityContext,
  client: OAuthClient,
  { session: family, claims, ...issued }: IssuedTokens,
): Promise<OAuthTokenResponse> {
  // The app may have been unbound since the scope was granted.
  const scope = issued.isForResource
    ? (claims.scope ?? '')
    : grantScope((claims.scope ?? '').split(' '), client.workspaceId)
  const session = {
    id: family.id,
    clientId: client.id,
    userId: claims.sub,
    scope,
    workspace: {
      id: claims.wid,
      slug: claims.wslug,
      role: claims.wrole,
      isGuest: claims.guest === true,
    },
    authentication: family.authentication,
    nonce: issued.nonce,
  }
  const isIdentified = !issued.isForResource && scope.split(' ').includes('openid')
  const id_token = isIdentified
    ? await signIdToken(context, session, issued.accessToken, issued.issuedAt)
    : undefined
  return {
    access_token: issued.accessToken,
    token_type: 'Bearer',
    expires_in: issued.accessSeconds,
    refresh_token: issued.refreshToken,
    refresh_expires_in: issued.refreshSeconds,
    scope: scope || undefined,
    workspace_id: claims.wid,
    ...(id_token !== undefined && { id_token }),
  }
}
