import type { EntityManager } from '@mikro-orm/postgresql'
import type { WorkspaceChoice } from '../../gen/daikon/v1/admin_workspaces.ts'
import type { WorkspaceMemberResponse, WorkspaceResponse } from '../../gen/daikon/v1/workspaces.ts'
import { findPage, type Page, type PageRequest } from '../database/page.ts'
import { query } from '../database/query.ts'
import { likePattern, type Timestamp } from '../database/sql-values.ts'

/** A workspace with the role of one user in it. */
export type WorkspaceRow = Omit<WorkspaceResponse, 'created_at' | 'role'> & {
  role: string | null
  created_at: Timestamp
}

const workspaceColumns = 'w.id, w.name, w.slug, w.description, m.role, w.created_at'

/** `$1` is the user whose role is selected; null selects no role. */
const workspaceTables =
  'workspaces w left join members m on m.workspace_id = w.id and m.user_id = $1'

export async function findWorkspace(
  em: EntityManager,
  id: string,
  userId: string | undefined,
): Promise<WorkspaceRow | undefined> {
  const [row] = await query<WorkspaceRow>(
    em,
    `select ${workspaceColumns} from ${workspaceTables} where w.id = $2`,
    [userId, id],
  )
  return row
}

/** Returns the workspaces of a user, by name. */
export function findUserWorkspaces(em: EntityManager, userId: string): Promise<WorkspaceRow[]> {
  return query(
    em,
    `select ${workspaceColumns} from ${workspaceTables}
     where m.user_id is not null order by w.name, w.id`,
    [userId],
  )
}

/** Returns a page of all workspaces, by slug; `q` matches names and slugs. */
export function findWorkspacePage(
  em: EntityManager,
  page: PageRequest,
  userId: string | undefined,
  q: string | undefined,
): Promise<Page<WorkspaceRow>> {
  return findPage(em, page, {
    select: workspaceColumns,
    from: `${workspaceTables} ${q ? 'where w.slug ilike $2 or w.name ilike $2' : ''}`,
    orderBy: 'w.slug',
    values: q ? [userId, likePattern(q)] : [userId],
  })
}

export function findWorkspaceChoices(em: EntityManager): Promise<WorkspaceChoice[]> {
  return query(em, 'select id, name, slug from workspaces order by name, id')
}

/** Locks the row of a workspace until the end of the transaction and returns the workspace ID. */
export async function lockWorkspaceRow(
  em: EntityManager,
  id: string,
): Promise<{ id: string } | undefined> {
  const [row] = await query<{ id: string }>(
    em,
    'select id from workspaces where id = $1 for no key update',
    [id],
  )
  return row
}

/**
 * Whether a workspace has another owner who has joined and is active. An invited owner may never
 * accept, and an inactive one cannot sign in.
 */
export async function hasOtherActiveOwner(
  em: EntityManager,
  workspaceId: string,
  userId: string,
): Promise<boolean> {
  const rows = await query(
    em,
    `select from members m join users u on u.id = m.user_id
     where m.workspace_id = $1 and m.role = 'owner' and m.user_id <> $2
       and m.joined_at is not null and u.is_active limit 1`,
    [workspaceId, userId],
  )
  return rows.length > 0
}

/** A membership and its user. */
export type MemberRow = Omit<WorkspaceMemberResponse, 'status' | 'joined_at'> & {
  joined_at: Timestamp | null
}

const memberSelect = `
  select m.user_id, m.workspace_id, u.email, u.name, u.avatar_url, m.role, m.joined_at
  from members m join users u on u.id = m.user_id`

export async function findMemberRow(
  em: EntityManager,
  workspaceId: string,
  userId: string,
): Promise<MemberRow | undefined> {
  const [row] = await query<MemberRow>(
    em,
    `${memberSelect} where m.workspace_id = $1 and m.user_id = $2`,
    [workspaceId, userId],
  )
  return row
}

/** Returns the members of a workspace, by user ID; `q` matches names and e-mail addresses. */
export function findMembers(
  em: EntityManager,
  workspaceId: string,
  q: string | undefined,
  limit: number,
): Promise<MemberRow[]> {
  // The name of an invited user is hidden, so a search must not reveal it either.
  const filter = q ? 'and (u.email ilike $3 or (m.joined_at is not null and u.name ilike $3))' : ''
  return query(
    em,
    `${memberSelect} where m.workspace_id = $1 ${filter} order by m.user_id limit $2`,
    q ? [workspaceId, limit, likePattern(q)] : [workspaceId, limit],
  )
}

/** Locks a membership until the end of the transaction. */
export async function lockMember(
  em: EntityManager,
  workspaceId: string,
  userId: string,
): Promise<void> {
  await query(em, 'select from members where user_id = $1 and workspace_id = $2 for update', [
    userId,
    workspaceId,
  ])
}

/** The table of each kind of set, the column with the set's ID, and a filter for direct members. */
const setTables = {
  group: { table: 'group_members', key: 'group_id', filter: 'and s.is_direct' },
  role: { table: 'custom_role_members', key: 'role_id', filter: '' },
} as const

export type MemberSetKind = keyof typeof setTables

/**
 * Returns the direct members of a group or role, by user ID. The profiles of invited users are
 * hidden.
 */
export function findSetMembers<Row>(
  em: EntityManager,
  kind: MemberSetKind,
  setId: string,
): Promise<Row[]> {
  const { table, key, filter } = setTables[kind]
  return query(
    em,
    `select s.user_id, s.${key}, u.email, s.added_at,
       case when m.joined_at is null then '' else u.name end as name,
       case when m.joined_at is null then '' else u.avatar_url end as avatar_url
     from ${table} s
     join members m on m.user_id = s.user_id and m.workspace_id = s.workspace_id
     join users u on u.id = s.user_id
     where s.${key} = $1 ${filter} order by s.user_id`,
    [setId],
  )
}

/** Assigns a role. Returns the user's ID, or undefined if the user already has the role. */
export async function insertRoleMember(
  em: EntityManager,
  { roleId, workspaceId, userId }: { roleId: string; workspaceId: string; userId: string },
): Promise<string | undefined> {
  const [inserted] = await query<{ user_id: string }>(
    em,
    `insert into custom_role_members (role_id, user_id, workspace_id) values ($1, $2, $3)
     on conflict do nothing returning user_id`,
    [roleId, userId, workspaceId],
  )
  return inserted?.user_id
}

/** Removes a role. Returns the user's ID, or undefined if the user does not have the role. */
export async function deleteRoleMember(
  em: EntityManager,
  roleId: string,
  userId: string,
): Promise<string | undefined> {
  const [deleted] = await query<{ user_id: string }>(
    em,
    'delete from custom_role_members where role_id = $1 and user_id = $2 returning user_id',
    [roleId, userId],
  )
  return deleted?.user_id
}
