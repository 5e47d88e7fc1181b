import { randomUUID } from 'node:crypto'
import type { EntityManager } from '@mikro-orm/postgresql'
import type { GetMeRequest, UpdateMeRequest, UserResponse } from '../../gen/daikon/v1/users.ts'
import { changedFields } from '../core/changed-fields.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import { User } from '../database/entities/people.ts'
import { isoTime } from '../database/sql-values.ts'
import { insertUser } from './queries.ts'

/** Returns the user of the access token. */
export async function getMe(
  { em, principal }: RequestContext,
  _request: GetMeRequest,
): Promise<UserResponse> {
  const { id, email, name, avatar_url, is_active, created_at } = await em.findOneOrFail(User, {
    id: requireUser(principal).id,
  })
  return { id, email, name, avatar_url, is_active, created_at: isoTime(created_at) }
}

/** Changes the user's name and picture. Absent fields remain unchanged. */
export async function updateMe(
  context: RequestContext,
  { name, avatar_url }: UpdateMeRequest,
): Promise<UserResponse> {
  const changes = changedFields({ name: name?.trim(), avatar_url })
  if (changes)
    await context.em.nativeUpdate(User, { id: requireUser(context.principal).id }, changes)
  return getMe(context, {})
}

/**
 * Returns the id of the user with this address, creating the user if there is none. Safe to call
 * concurrently.
 *
 * `email` must be normalized (`normalizeEmail`).
 */
export async function ensureUser(em: EntityManager, email: string): Promise<string> {
  // A random id, unlike a time-ordered one, does not reveal whether the user existed before.
  await insertUser(em, randomUUID(), email)
  return (await em.findOneOrFail(User, { email })).id
}
