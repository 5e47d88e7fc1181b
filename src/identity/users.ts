import type { GetMeRequest, UpdateMeRequest, UserResponse } from '../../gen/daikon/v1/users.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import type { UserStore } from './store/user-store.ts'

type UserContext = RequestContext<{ users: UserStore }>

/** Returns the user of the access token. */
export async function getMe(
  { stores, principal }: UserContext,
  _request: GetMeRequest,
): Promise<UserResponse> {
  const user = await stores.users.requireProfile(requireUser(principal).id)
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    avatar_url: user.avatarUrl,
    is_active: user.isActive,
    created_at: isoTime(user.createdAt),
    email_sign_in: user.emailSignIn,
  }
}

/** Changes the user's name and picture. Absent fields remain unchanged. */
export async function updateMe(
  context: UserContext,
  { name, avatar_url: avatarUrl }: UpdateMeRequest,
): Promise<UserResponse> {
  const { stores, principal } = context
  await stores.users.updateProfile(requireUser(principal).id, { name: name?.trim(), avatarUrl })
  return getMe(context, {})
}
