import type { IntrospectTokenRequest, TokenIntrospection } from '../../../gen/daikon/v1/oauth.ts'
import { currentScopes } from '../../core/scopes.ts'
import { type FindApiKey, looksLikeApiKey } from '../api-keys.ts'
import { type DelegatedToken, type Token, tokenKinds } from '../claims.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { serviceKeyMissing } from '../service-keys.ts'
import {
  findOrigin,
  type IssuedToken,
  type TokenOrigin,
  verifyIssuedToken,
} from './issued-tokens.ts'
import { authenticateApp } from './management-tokens.ts'
import { oauthError } from './oauth-errors.ts'

type CallingApp = Awaited<ReturnType<typeof authenticateApp>>

/**
 * The introspection endpoint (RFC 7662): a token is active if daikon would accept it now. For a
 * client app or a management app, only its own tokens are active.
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
  const token = await verifyIssuedToken(context, request.token)
  const owner = token && (await findOwner(context, token, client))
  const origin = owner && (await findOrigin(stores, token))
  if (!origin || origin.isConsumed) return { active: false }
  const { clientId, clientUrl } = origin
  const isJudged = !client || token.type === 'delegated'
  if (isJudged && (await isOfOtherService(context, token, origin))) return { active: false }
  if (client && clientId !== client.id) return { active: false }
  const { sub, jti, iat, exp, type } = token
  const scope = owner.scope ?? origin.scope
  return {
    active: true,
    sub,
    jti,
    iat,
    exp,
    ...owner,
    token_type: type === 'refresh' ? 'refresh_token' : 'Bearer',
    aud: 'aud' in token ? token.aud : tokenKinds[token.type].audience,
    iss: identity.settings.BASE_URL,
    ...(scope && { scope }),
    ...(clientId && { client_id: clientUrl ?? clientId }),
    ...((type === 'access' || type === 'resource_access') && pickSignIn(token)),
    ...(type === 'delegated' && pickDelegation(token)),
  }
}

/**
 * Whether a token is for another service than the one that introspects it, because of its API or its delegation,
 * or for none any more.
 */
async function isOfOtherService(
  { stores, principal }: IdentityContext,
  token: IssuedToken,
  { resourceId }: TokenOrigin,
): Promise<boolean> {
  const caller = principal.service?.name
  const { tokenResources, tokenDelegations } = stores
  const isOther = (service: string | undefined) =>
    service === undefined || (caller !== undefined && caller !== service)
  switch (token.type) {
    case 'resource_access':
      return isOther((await tokenResources.findByUri(token.aud))?.service)
    case 'delegated':
      return isOther(await tokenDelegations.findService(token.delegation_id))
    default:
      return resourceId ? isOther((await tokenResources.find(resourceId))?.service) : false
  }
}

/** The agent that acts for the user of a token, and its delegation (RFC 8693, 4.1). */
function pickDelegation({ act, delegation_id }: DelegatedToken) {
  return { act, delegation_id }
}

/** What a service that requires a recent sign-in asks about a token (RFC 9470, 6.2). */
function pickSignIn({
  auth_time,
  auth_time_unconfirmed,
  acr,
}: Pick<Token<'access'>, 'auth_time' | 'auth_time_unconfirmed' | 'acr'>) {
  return {
    ...(auth_time !== undefined && { auth_time }),
    ...(auth_time_unconfirmed && { auth_time_unconfirmed }),
    ...(acr && { acr }),
  }
}

/**
 * Describes the active member or management app of a token, or returns undefined if there is none or
 * the token has been revoked. A management app alone learns about its tokens.
 */
async function findOwner(
  { stores }: IdentityContext,
  token: IssuedToken,
  client: CallingApp | undefined,
): Promise<Pick<TokenIntrospection, 'wid' | 'username' | 'wrole' | 'guest' | 'scope'> | undefined> {
  if (token.type === 'management') {
    if (!client?.scopes || (await stores.revocations.isDenied(token.jti))) return undefined
    return { scope: currentScopes(token, client.scopes).join(' ') }
  }
  const owner = await stores.claims.findTokenOwner(token)
  if (!owner) return undefined
  const { email: username, role: wrole, guest } = owner
  return { wid: token.wid, username, wrole, ...(guest && { guest }) }
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
 * Authenticates the client app or management app of a request, or returns undefined if the request
 * has a service key instead, or needs none.
 */
async function findCallingClient(
  context: IdentityContext,
  request: IntrospectTokenRequest,
): Promise<CallingApp | undefined> {
  const { authorization = '', client_id, client_secret, client_assertion } = request
  const isClient = [client_id, client_secret, client_assertion].some((sent) => sent !== undefined)
  if (!isClient && !/^basic /i.test(authorization)) {
    if (context.principal.service) return undefined
    throw serviceKeyMissing()
  }
  const client = await authenticateApp(context, request)
  if (client.type !== 'public') return client
  throw oauthError('invalid_client', 'A public client app cannot introspect tokens')
}
