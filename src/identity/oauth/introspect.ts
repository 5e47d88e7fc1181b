import type { IntrospectTokenRequest, TokenIntrospection } from '../../../gen/daikon/v1/oauth.ts'
import { type FindApiKey, looksLikeApiKey } from '../api-keys.ts'
import { tokenKinds } from '../claims.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { serviceKeyMissing } from '../service-keys.ts'
import { authenticateClient, type OAuthClient } from './clients.ts'
import { oauthError } from './oauth-errors.ts'
import { verifyUserToken } from './user-tokens.ts'

/**
 * The introspection endpoint (RFC 7662): a token is active if daikon would accept it now. For a
 * client app, only its own tokens are active.
 */
export async function introspectToken(
  context: IdentityContext & { findApiKey: FindApiKey },
  request: IntrospectTokenRequest,
): Promise<TokenIntrospection> {
  const client = await findCallingClient(context, request)
  if (!request.token) throw oauthError('invalid_request', 'token is required')
  if (looksLikeApiKey(request.token))
    return client ? { active: false } : introspectApiKey(context, request.token)
  const { stores, identity } = context
  const token = await verifyUserToken(context, request.token)
  const owner = token && (await stores.claims.findTokenOwner(token))
  if (!owner) return { active: false }
  const isAccess = token.type === 'access'
  const refreshSession = isAccess ? undefined : await stores.sessions.findByRefreshToken(token.jti)
  if (!isAccess && (!refreshSession || refreshSession.isConsumed)) return { active: false }
  const session = isAccess
    ? await stores.sessions.findScopeOfAccessToken(token.jti)
    : refreshSession
  // A token that a client app obtained with its own credentials has no session.
  const clientId = session?.clientId ?? (token.type === 'access' ? token.client_id : undefined)
  if (client && clientId !== client.id) return { active: false }
  const { sub, jti, wid, iat, exp, type } = token
  return {
    active: true,
    sub,
    jti,
    wid,
    iat,
    exp,
    username: owner.email,
    wrole: owner.role,
    token_type: isAccess ? 'Bearer' : 'refresh_token',
    aud: tokenKinds[type].audience,
    iss: identity.options.baseUrl,
    ...(session?.scope && { scope: session.scope }),
    ...(clientId && { client_id: clientId }),
  }
}

async function introspectApiKey(
  { stores, now, findApiKey }: IdentityContext & { findApiKey: FindApiKey },
  key: string,
): Promise<TokenIntrospection> {
  const found = await findApiKey(key, now)
  if (!found) return { active: false }
  const { userId: sub, workspaceId: wid, keyId: jti, expiresAt: exp } = found
  const owner = await stores.claims.findTokenOwner({ sub, wid, jti })
  if (!owner) return { active: false }
  const { role: wrole, slug: wslug } = owner
  return { active: true, sub, wid, wslug, wrole, token_type: 'api_key', ...(exp && { exp }) }
}

/**
 * Authenticates the client app of a request, or returns undefined if the request has a service key
 * instead, or needs none.
 */
async function findCallingClient(
  { stores, now, principal }: IdentityContext,
  request: IntrospectTokenRequest,
): Promise<OAuthClient | undefined> {
  const { authorization = '', client_id, client_secret } = request
  if (!/^basic /i.test(authorization) && client_id === undefined && client_secret === undefined) {
    if (principal.service) return undefined
    throw serviceKeyMissing()
  }
  const client = await authenticateClient(stores.clients, now, request)
  if (client.type === 'confidential') return client
  throw oauthError('invalid_client', 'A public client app cannot introspect tokens')
}
