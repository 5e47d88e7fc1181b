import type { UserInfo, UserInfoRequest } from '../../../gen/daikon/v1/oauth.ts'
import { type RequestContext, requireUser } from '../../core/request-context.ts'
import { findMemberClaims } from '../queries.ts'
import { readScopedClaims } from './id-tokens.ts'
import { oauthError } from './oauth-errors.ts'
import { findScopeOfToken } from './user-queries.ts'

/** The scope of tokens that were issued without one, because the sign-in began at `/auth/login`. */
const allScopes = 'openid profile email'

/** The UserInfo endpoint: returns the claims that the scope of the access token covers. */
export async function getUserInfo(
  { em, principal }: RequestContext,
  _request: UserInfoRequest,
): Promise<UserInfo> {
  const { id, workspaceId, role, token } = requireUser(principal)
  const scope = (await findScopeOfToken(em, token.id))?.scope ?? allScopes
  if (!scope.split(' ').includes('openid'))
    throw oauthError('insufficient_scope', 'The access token lacks the scope openid')
  const member = await findMemberClaims(em, { userId: id, workspaceId })
  const claims = await readScopedClaims(em, id, scope)
  return { sub: id, ...claims, wid: workspaceId, wslug: member?.wslug ?? '', wrole: role }
}
