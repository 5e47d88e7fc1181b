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
import { findPage } from '../database/page.ts'
import { isoTime, likePattern, type Timestamp } from '../database/sql-values.ts'
import { findSessions } from '../identity/sessions.ts'
import { userNotFound } from '../identity/user-errors.ts'
import { rolesOf } from '../workspaces/custom-roles.ts'
import { groupsOf } from '../workspaces/groups.ts'

/** Users by e-mail; `q` looks into names and e-mails. */
export async function listUsers(
  { em }: RequestContext,
  { q, ...page }: UserPageRequest,
): Promise<UserPage> {
  const found = await findPage<UserRow>(em, page, {
    select: columns,
    from: `users u ${q ? 'where u.email ilike $1 or u.name ilike $1' : ''}`,
    orderBy: 'u.email',
    values: q ? [likePattern(q)] : [],
  })
  return { ...found, items: found.items.map(viewSummary) }
}

/** A user with all that belongs to them but resources. */
export async function getUser(
  { em, now }: RequestContext,
  { user_id }: GetUserRequest,
): Promise<UserDetail> {
  return viewUser(em, now, user_id)
}

/** The user as administrators see them. */
export async function viewUser(em: EntityManager, now: Date, id: string): Promise<UserDetail> {
  const [row] = await em.execute<UserRow[]>(`select ${columns} from users u where u.id = ?`, [id])
  if (!row) throw userNotFound()
  return {
    ...viewSummary(row),
    linked_accounts: await accountsOf(em, row.id),
    memberships: await membershipsOf(em, row.id),
    groups: await groupsOf(em, row.id),
    roles: await rolesOf(em, row.id),
    sessions: await findSessions(em, now, row.id),
  }
}

type UserRow = Omit<UserSummary, 'created_at' | 'last_sign_in_at'> & {
  created_at: Timestamp
  last_sign_in_at: Timestamp | null
}

const columns =
  'u.id, u.email, u.name, u.avatar_url, u.is_active, u.is_admin, u.created_at, u.last_sign_in_at'

function viewSummary({ created_at, last_sign_in_at, ...row }: UserRow): UserSummary {
  return {
    ...row,
    created_at: isoTime(created_at),
    ...(last_sign_in_at && { last_sign_in_at: isoTime(last_sign_in_at) }),
  }
}

async function accountsOf(em: EntityManager, userId: string): Promise<LinkedAccount[]> {
  type Row = Omit<LinkedAccount, 'linked_at'> & { created_at: Timestamp }
  const rows = await em.execute<Row[]>(
    `select provider, subject, email, created_at from linked_accounts
     where user_id = ? order by provider, subject`,
    [userId],
  )
  return rows.map(({ created_at, ...row }) => ({ ...row, linked_at: isoTime(created_at) }))
}

async function membershipsOf(em: EntityManager, userId: string): Promise<Membership[]> {
  type Row = Omit<Membership, 'status' | 'joined_at'> & { joined_at: Timestamp | null }
  const rows = await em.execute<Row[]>(
    `select m.workspace_id, w.name as workspace_name, w.slug as workspace_slug, m.role, m.joined_at
     from members m join workspaces w on w.id = m.workspace_id
     where m.user_id = ? order by w.name, w.id`,
    [userId],
  )
  return rows.map(({ joined_at, ...row }) => ({
    ...row,
    ...(joined_at === null
      ? { status: 'invited' }
      : { status: 'active', joined_at: isoTime(joined_at) }),
  }))
}
