import type { IntrospectTokenRequest, TokenIntrospection } from '../../../gen/daikon/v1/oauth.ts'
import { tokenKinds } from '../claims.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { oauthError } from './oauth-errors.ts'
import { findRefreshTokenSession, findScopeOfToken, findTokenOwner } from './user-queries.ts'
import { verifyUserToken } from './user-tokens.ts'

/** The introspection endpoint (RFC 7662): a token is active if daikon would accept it now. */
export async function introspectToken(
  context: IdentityContext,
  request: IntrospectTokenRequest,
): Promise<TokenIntrospection> {
  if (!request.token) throw oauthError('invalid_request', 'token is required')
  const { em, identity } = context
  const token = await verifyUserToken(context, request.token)
  const owner = token && (await findTokenOwner(em, token))
  if (!owner) return { active: false }
  const isAccess = token.type === 'access'
  const refreshSession = isAccess ? undefined : await findRefreshTokenSession(em, token.jti)
  if (!isAccess && (!refreshSession || refreshSession.isConsumed)) return { active: false }
  const session = isAccess ? await findScopeOfToken(em, token.jti) : refreshSession
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
    ...(session?.clientId && { client_id: session.clientId }),
  }
}
