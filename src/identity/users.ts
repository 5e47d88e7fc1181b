import type { GetMeRequest, UpdateMeRequest, UserResponse } from '../../gen/daikon/v1/users.ts'
import { changedFields } from '../core/changed-fields.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import { User } from '../database/entities/people.ts'
import { isoTime } from '../database/sql-values.ts'

/** Who the token's user is. */
export async function getMe(
  { em, principal }: RequestContext,
  _request: GetMeRequest,
): Promise<UserResponse> {
  const { id, email, name, avatar_url, is_active, created_at } = await em.findOneOrFail(User, {
    id: requireUser(principal).id,
  })
  return { id, email, name, avatar_url, is_active, created_at: isoTime(created_at) }
}

/** Changes what is given of name and picture, and nothing else. */
export async function updateMe(
  context: RequestContext,
  { name, avatar_url }: UpdateMeRequest,
): Promise<UserResponse> {
  const changes = changedFields({ name: name?.trim(), avatar_url })
  if (changes)
    await context.em.nativeUpdate(User, { id: requireUser(context.principal).id }, changes)
  return getMe(context, {})
}
