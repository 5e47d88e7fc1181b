import type { GetMeRequest, UpdateMeRequest, UserResponse } from '../../gen/daikon/v1/users.ts'
import { type Context, requireUser } from '../rpc/call.ts'
import { User } from '../storage/entities/people.ts'
import { given } from '../storage/given.ts'
import { isoTime } from '../storage/timestamp.ts'

/** Who the token's user is. */
export async function getMe(
  { em, caller }: Context,
  _request: GetMeRequest,
): Promise<UserResponse> {
  const { id, email, name, avatar_url, is_active, created_at } = await em.findOneOrFail(User, {
    id: requireUser(caller).id,
  })
  return { id, email, name, avatar_url, is_active, created_at: isoTime(created_at) }
}

/** Changes what is given of name and picture, and nothing else. */
export async function updateMe(
  context: Context,
  { name, avatar_url }: UpdateMeRequest,
): Promise<UserResponse> {
  const changes = given({ name: name?.trim(), avatar_url })
  if (changes) await context.em.nativeUpdate(User, { id: requireUser(context.caller).id }, changes)
  return getMe(context, {})
}
