import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  GetUserRequest,
  LinkedAccount,
  Membership,
  UserDetail,
  UserPage,
  UserPageRequest,
  UserSummary,
} from '../../gen/daikon/v1/admin_users.ts'
import type { RequestContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { findSessions } from '../identity/sessions.ts'
import { userNotFound } from '../identity/user-errors.ts'
import { listUserRoles } from '../workspaces/custom-roles.ts'
import { listUserGroups } from '../workspaces/groups.ts'
import {
  findLinkedAccounts,
  findMemberships,
  findUser,
  findUserPage,
  type LinkedAccountRow,
  type MembershipRow,
  type UserRow,
} from './queries.ts'

/** Lists a page of users, by e-mail address; `q` matches names and e-mail addresses. */
export async function listUsers(
  { em }: RequestContext,
  { page, page_size, ...filters }: UserPageRequest,
): Promise<UserPage> {
  const result = await findUserPage(em, { page, page_size }, filters)
  return { ...result, items: result.items.map(toUserSummary) }
}

/** Returns a user with accounts, memberships, groups, custom roles and sessions. */
export async function getUser(
  { em, now }: RequestContext,
  { user_id }: GetUserRequest,
): Promise<UserDetail> {
  return requireUserDetail(em, now, user_id)
}

export async function requireUserDetail(
  em: EntityManager,
  now: Date,
  id: string,
): Promise<UserDetail> {
  const row = await findUser(em, id)
  if (!row) throw userNotFound()
  return {
    ...toUserSummary(row),
    linked_accounts: (await findLinkedAccounts(em, row.id)).map(toLinkedAccount),
    memberships: (await findMemberships(em, row.id)).map(toMembership),
    groups: await listUserGroups(em, row.id),
    roles: await listUserRoles(em, row.id),
    sessions: await findSessions(em, now, row.id),
  }
}

function toUserSummary({ created_at, last_sign_in_at, external_id, ...row }: UserRow): UserSummary {
  return {
    ...row,
    ...(external_id !== null && { external_id }),
    created_at: isoTime(created_at),
    ...(last_sign_in_at && { last_sign_in_at: isoTime(last_sign_in_at) }),
  }
}

function toLinkedAccount({ created_at, ...row }: LinkedAccountRow): LinkedAccount {
  return { ...row, linked_at: isoTime(created_at) }
}

function toMembership({ joined_at, ...row }: MembershipRow): Membership {
  if (joined_at === null) return { ...row, status: 'invited' }
  return { ...row, status: 'active', joined_at: isoTime(joined_at) }
}
