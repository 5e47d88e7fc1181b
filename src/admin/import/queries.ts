import type { EntityManager } from '@mikro-orm/postgresql'
import type { Role } from '../../core/roles.ts'
import { isUuid } from '../../core/uuid.ts'
import { query } from '../../database/query.ts'

/**
 * Prevents other imports from running until the end of the transaction. An import may wait longer
 * for locks than other calls, but less than the client's statement timeout.
 */
export async function lockImports(em: EntityManager): Promise<void> {
  await query(em, "set local lock_timeout = '9s'")
  await query(em, `select pg_advisory_xact_lock(hashtext('daikon import'))`)
}

/**
 * Locks workspaces until the end of the transaction, with the same lock as changes to their owners.
 */
export async function lockWorkspaces(em: EntityManager, slugs: string[]): Promise<void> {
  await query(
    em,
    'select id from workspaces where slug = any($1::text[]) order by id for no key update',
    [slugs],
  )
}

type WorkspaceRow = { id: string; slug: string; owners: number }

/** Returns workspaces with the number of active owners who have joined. */
export function findWorkspaces(em: EntityManager, slugs: string[]): Promise<WorkspaceRow[]> {
  return query(
    em,
    `select w.id, w.slug, (select count(*)::int from members m join users u on u.id = m.user_id
       where m.workspace_id = w.id and m.role = 'owner' and m.joined_at is not null
         and u.is_active) as owners
     from workspaces w where w.slug = any($1::text[])`,
    [slugs],
  )
}

type UsageRow = { workspace_id: string; members: number; invitations: number; groups: number }

/** Returns the usage of quotas for each workspace. Workspaces without any usage are absent. */
export function findUsage(em: EntityManager, workspaceIds: string[]): Promise<UsageRow[]> {
  const sum = (counted: string) =>
    `coalesce(sum(count) filter (where counted = '${counted}'), 0)::int as ${counted}`
  return query(
    em,
    `select workspace_id, ${sum('members')}, ${sum('invitations')}, ${sum('groups')}
     from workspace_counts where workspace_id = any($1::uuid[]) group by workspace_id`,
    [workspaceIds],
  )
}

type UserRow = { id: string; email: string; name: string; external_id: string | null }

export function findUsers(em: EntityManager, emails: string[]): Promise<UserRow[]> {
  // For `= any($1)`, the planner would split each address into trigrams to estimate the cost of the
  // search index.
  return query(
    em,
    `select id, email, name, external_id from users
     where email in (select unnest($1::text[]))`,
    [emails],
  )
}

/**
 * Returns the users that external IDs identify, whether as an external ID, an e-mail address or a
 * user ID.
 */
export function findIdentifiedUsers(
  em: EntityManager,
  externalIds: string[],
): Promise<{ external_id: string; email: string }[]> {
  return query(
    em,
    `select external_id, email from users where external_id = any($1::text[])
     union all
     select searched, email from unnest($1::text[]) searched join users on email = lower(searched)
     union all
     select searched, email from unnest($2::text[]) searched join users on id = searched::uuid`,
    [externalIds, externalIds.filter(isUuid)],
  )
}

export async function updateExternalIds(
  em: EntityManager,
  users: { id: string; externalId: string }[],
): Promise<void> {
  await query(
    em,
    `update users u set external_id = p.external_id
     from unnest($1::uuid[], $2::text[]) as p(id, external_id) where u.id = p.id`,
    [users.map(({ id }) => id), users.map(({ externalId }) => externalId)],
  )
}

/** `joined` means that the member has joined and is active. Only such owners count as owners. */
type MemberRow = { user_id: string; workspace_id: string; role: Role; joined: boolean }

export function findMembers(em: EntityManager, userIds: string[]): Promise<MemberRow[]> {
  return query(
    em,
    `select m.user_id, m.workspace_id, m.role, m.joined_at is not null and u.is_active as joined
     from members m join users u on u.id = m.user_id where m.user_id = any($1::uuid[])`,
    [userIds],
  )
}

type GroupRow = { id: string; workspace_id: string; name: string }

export function findGroups(
  em: EntityManager,
  workspaceIds: string[],
  names: string[],
): Promise<GroupRow[]> {
  return query(
    em,
    `select id, workspace_id, name from groups
     where workspace_id = any($1::uuid[]) and name = any($2::text[])`,
    [workspaceIds, names],
  )
}

type GroupMemberRow = { group_id: string; user_id: string }

export function findGroupMembers(em: EntityManager, userIds: string[]): Promise<GroupMemberRow[]> {
  return query(
    em,
    'select group_id, user_id from group_members where user_id = any($1::uuid[]) and is_direct',
    [userIds],
  )
}

/**
 * Inserts users, or renames those that were created after the plan was made. Returns the latter,
 * because their IDs differ from the ones passed in.
 */
export function insertUsers(
  em: EntityManager,
  users: { id: string; email: string; name: string }[],
): Promise<{ id: string; email: string }[]> {
  return query(
    em,
    `with inserted as (
       insert into users (id, email, name)
       select * from unnest($1::uuid[], $2::text[], $3::text[])
       on conflict (email) do update set
         name = case when excluded.name = '' then users.name else excluded.name end
       returning id, email, xmax = 0 as is_new
     )
     select id, email from inserted where not is_new`,
    [users.map(({ id }) => id), users.map(({ email }) => email), users.map(({ name }) => name)],
  )
}

export async function updateUserNames(
  em: EntityManager,
  users: { id: string; name: string }[],
): Promise<void> {
  await query(
    em,
    `update users u set name = p.name from unnest($1::uuid[], $2::text[]) as p(id, name)
     where u.id = p.id`,
    [users.map(({ id }) => id), users.map(({ name }) => name)],
  )
}

/** The primary key of a membership. */
type MemberKey = { userId: string; workspaceId: string }

export async function insertMembers(
  em: EntityManager,
  members: (MemberKey & { role: string })[],
): Promise<void> {
  await query(
    em,
    `insert into members (user_id, workspace_id, role)
     select * from unnest($1::uuid[], $2::uuid[], $3::text[])`,
    [
      members.map(({ userId }) => userId),
      members.map(({ workspaceId }) => workspaceId),
      members.map(({ role }) => role),
    ],
  )
}

export async function updateMemberRoles(
  em: EntityManager,
  members: (MemberKey & { role: string })[],
): Promise<void> {
  await query(
    em,
    `update members m set role = p.role
     from unnest($1::uuid[], $2::uuid[], $3::text[]) as p(user_id, workspace_id, role)
     where m.user_id = p.user_id and m.workspace_id = p.workspace_id`,
    [
      members.map(({ userId }) => userId),
      members.map(({ workspaceId }) => workspaceId),
      members.map(({ role }) => role),
    ],
  )
}

/** Inserts groups. Groups that were created after the plan was made are returned as not new. */
export function insertGroups(
  em: EntityManager,
  groups: { id: string; workspaceId: string; name: string }[],
  createdBy: string | undefined,
): Promise<{ id: string; workspace_id: string; name: string; is_new: boolean }[]> {
  return query(
    em,
    `insert into groups (id, workspace_id, name, created_by)
     select id, workspace_id, name, $4::uuid
     from unnest($1::uuid[], $2::uuid[], $3::text[]) as p(id, workspace_id, name)
     on conflict (workspace_id, name) do update set name = excluded.name
     returning id, workspace_id, name, xmax = 0 as is_new`,
    [
      groups.map(({ id }) => id),
      groups.map(({ workspaceId }) => workspaceId),
      groups.map(({ name }) => name),
      createdBy,
    ],
  )
}
