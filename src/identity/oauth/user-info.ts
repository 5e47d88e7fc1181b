import type { UserInfo, UserInfoRequest } from '../../../gen/daikon/v1/oauth.ts'
import { requireUser } from '../../core/request-context.ts'
import type { IdentityContext } from '../identity-dependencies.ts'
import { grantScope } from './authorization-request.ts'
import { readScopedClaims } from './id-tokens.ts'
import { oauthError } from './oauth-errors.ts'

/** The scope of tokens that were issued without one, because the sign-in began at `/auth/login`. */
const allScopes = 'openid profile email'

/** The UserInfo endpoint: returns the claims that the scope of the access token covers. */
export async function getUserInfo(
  { stores, principal }: Pick<IdentityContext, 'stores' | 'principal'>,
  _request: UserInfoRequest,
): Promise<UserInfo> {
  const { id, workspaceId, role, isGuest, token } = requireUser(principal)
  const session = await stores.sessions.findScopeOfAccessToken(token.id)
  // The app may have been bound to another workspace, or to none, since the token was issued.
  const boundTo = session?.boundTo === workspaceId ? workspaceId : null
  const scope = grantScope((session?.scope ?? allScopes).split(' '), boundTo)
  if (!scope.split(' ').includes('openid'))
    throw oauthError('insufficient_scope', 'The access token lacks the scope openid')
  const member = await stores.claims.findAccessClaims({ userId: id, workspaceId })
  const workspace = { id: workspaceId, role }
  const claims = await readScopedClaims(stores, { userId: id, workspace }, scope)
  const ofMember = { wid: workspaceId, wslug: member?.wslug ?? '', wrole: role }
  return { sub: id, ...claims, ...ofMember, ...(isGuest && { guest: true }) }
}
