import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../database/query.ts'
import type { Timestamp } from '../database/sql-values.ts'

/** A user in a group, and the workspace that both belong to. */
export type GroupMembership = { groupId: string; userId: string; workspaceId: string }

/** A parent group and its child. */
export type GroupLink = { parentId: string; childId: string }

const lockOfWorkspace = (workspaceId: string) =>
  `pg_advisory_xact_lock(hashtextextended('daikon groups ' || ${workspaceId}, 0))`

/** Locks the group hierarchy of a workspace until the end of the transaction. */
export async function lockHierarchy(em: EntityManager, workspaceId: string): Promise<void> {
  await query(em, `select ${lockOfWorkspace('$1::text')}`, [workspaceId])
}

/**
 * Locks the group hierarchies of the workspaces in which any of the groups has a parent or a child.
 * Returns whether there are any.
 */
export async function lockHierarchyIfNested(
  em: EntityManager,
  groupIds: string[],
): Promise<boolean> {
  const locked = await query(
    em,
    `select ${lockOfWorkspace('workspace_id')} from (
       select workspace_id from group_parents where child_id = any($1::uuid[])
       union
       select workspace_id from group_parents where parent_id = any($1::uuid[])
       order by 1
     ) nested`,
    [groupIds],
  )
  return locked.length > 0
}

/**
 * Locks the row of a group. `key share` is the lock that a foreign key takes on its target;
 * `update` conflicts with it.
 */
export async function lockGroup(
  em: EntityManager,
  groupId: string,
  strength: 'key share' | 'update',
): Promise<void> {
  await query(em, `select from groups where id = $1 for ${strength}`, [groupId])
}

/** Locks the rows of those of the groups that have neither parents nor children. */
export async function lockFlatGroups(
  em: EntityManager,
  workspaceId: string,
  groupIds: string[],
): Promise<void> {
  await query(
    em,
    `select from groups g
     where workspace_id = $1 and id = any($2::uuid[])
       and not exists (select from group_parents where child_id = g.id)
       and not exists (select from group_parents where parent_id = g.id)
     order by id for update`,
    [workspaceId, groupIds],
  )
}

/** Prevents users from leaving the workspace until the end of the transaction. */
export async function lockMemberships(
  em: EntityManager,
  workspaceId: string,
  userIds: string[],
): Promise<void> {
  await query(
    em,
    `select from members where user_id = any($2::uuid[]) and workspace_id = $1
     order by user_id for key share`,
    [workspaceId, userIds],
  )
}

export async function findAncestors(em: EntityManager, groupIds: string[]): Promise<string[]> {
  const ancestors = await query<{ id: string }>(
    em,
    `with recursive ancestors (id) as (
       select parent_id from group_parents where child_id = any($1::uuid[])
       union
       select p.parent_id from ancestors a join group_parents p on p.child_id = a.id
     )
     select id from ancestors`,
    [groupIds],
  )
  return ancestors.map(({ id }) => id)
}

/** Returns the direct and inherited members of a group. */
export async function findEffectiveUserIds(em: EntityManager, groupId: string): Promise<string[]> {
  const members = await query<{ user_id: string }>(
    em,
    'select user_id from group_members where group_id = $1',
    [groupId],
  )
  return members.map(({ user_id }) => user_id)
}

/**
 * Returns whether a group is already a child, whether adding it would close a cycle, and the number
 * of groups in the longest chain through the new link. Counting stops at `maxLength` in each
 * direction.
 */
export async function describeLink(
  em: EntityManager,
  { parentId, childId }: GroupLink,
  maxLength: number,
): Promise<{ isLinked: boolean; isCycle: boolean; length: number }> {
  const [link] = await query<{ isLinked: boolean; isCycle: boolean; length: number }>(
    em,
    `with recursive above (id, length) as (
       select $1::uuid, 1
       union
       select p.parent_id, length + 1 from above a join group_parents p on p.child_id = a.id
       where length < $3::int
     ), below (id, length) as (
       select $2::uuid, 1
       union
       select p.child_id, length + 1 from below b join group_parents p on p.parent_id = b.id
       where length < $3
     )
     select exists (select from group_parents where parent_id = $1 and child_id = $2) as "isLinked",
       exists (select from above where id = $2) as "isCycle",
       (select max(length) from above) + (select max(length) from below) as length`,
    [parentId, childId, maxLength],
  )
  if (!link) throw new Error('The statement returned no row')
  return link
}

export async function findChildIds(em: EntityManager, groupId: string): Promise<string[]> {
  const children = await query<{ child_id: string }>(
    em,
    'select child_id from group_parents where parent_id = $1',
    [groupId],
  )
  return children.map(({ child_id }) => child_id)
}

/** Returns the parent IDs of the groups in a workspace, by group ID. */
export async function findParentIds(
  em: EntityManager,
  workspaceId: string,
): Promise<Map<string, string[]>> {
  const rows = await query<{ child_id: string; parent_ids: string[] }>(
    em,
    `select child_id, array_agg(parent_id::text order by parent_id) as parent_ids
     from group_parents where workspace_id = $1 group by child_id`,
    [workspaceId],
  )
  return new Map(rows.map(({ child_id, parent_ids }) => [child_id, parent_ids]))
}

export async function insertLink(
  em: EntityManager,
  { parentId, childId }: GroupLink,
  workspaceId: string,
): Promise<void> {
  await query(
    em,
    'insert into group_parents (parent_id, child_id, workspace_id) values ($1, $2, $3)',
    [parentId, childId, workspaceId],
  )
}

/** Deletes a link. Returns false if it does not exist. */
export async function deleteLink(
  em: EntityManager,
  { parentId, childId }: GroupLink,
): Promise<boolean> {
  const deleted = await query(
    em,
    'delete from group_parents where parent_id = $1 and child_id = $2 returning child_id',
    [parentId, childId],
  )
  return deleted.length > 0
}

export async function deleteLinksToParents(em: EntityManager, groupId: string): Promise<void> {
  await query(em, 'delete from group_parents where child_id = $1', [groupId])
}

const insertDirectMembersSql = `
  insert into group_members (group_id, user_id, workspace_id)
  select * from unnest($1::uuid[], $2::uuid[], $3::uuid[])
  on conflict (group_id, user_id) do update set is_direct = true, added_at = now()
    where not group_members.is_direct`

const columnsOf = (members: GroupMembership[]) => [
  members.map(({ groupId }) => groupId),
  members.map(({ userId }) => userId),
  members.map(({ workspaceId }) => workspaceId),
]

/**
 * Inserts direct members, including users who are already inherited members. Returns the new ones.
 */
export function insertDirectMembers(
  em: EntityManager,
  members: GroupMembership[],
): Promise<{ group_id: string; user_id: string }[]> {
  const sql = `${insertDirectMembersSql} returning group_id, user_id`
  return query(em, sql, columnsOf(members))
}

/** Inserts direct members like `insertDirectMembers`, but does not return them. */
export async function insertManyDirectMembers(
  em: EntityManager,
  members: GroupMembership[],
): Promise<void> {
  await query(em, insertDirectMembersSql, columnsOf(members))
}

/**
 * Deletes a direct member. Returns the user's ID, or undefined if the user is not a direct member.
 */
export async function deleteDirectMember(
  em: EntityManager,
  { groupId, userId }: GroupMembership,
): Promise<string | undefined> {
  const [deleted] = await query<{ user_id: string }>(
    em,
    'delete from group_members where group_id = $1 and user_id = $2 and is_direct returning user_id',
    [groupId, userId],
  )
  return deleted?.user_id
}

/**
 * Recomputes which of the users are inherited members of `groupIds`, from the direct members of the
 * groups' descendants. Requires the locks on the hierarchies of all workspaces that the groups
 * belong to.
 */
export async function updateInheritedMembers(
  em: EntityManager,
  { groupIds, userIds }: { groupIds: string[]; userIds: string[] },
): Promise<void> {
  await query(
    em,
    `with recursive effective (user_id, group_id, workspace_id) as (
       select user_id, group_id, workspace_id from group_members
       where user_id = any($2::uuid[]) and is_direct
         and workspace_id in (select workspace_id from groups where id = any($1::uuid[]))
       union
       select e.user_id, p.parent_id, e.workspace_id
       from effective e join group_parents p on p.child_id = e.group_id
     ), deleted as (
       delete from group_members m
       where m.group_id = any($1) and m.user_id = any($2) and not m.is_direct
         and not exists (
           select from effective e where e.user_id = m.user_id and e.group_id = m.group_id
         )
     )
     insert into group_members (user_id, group_id, workspace_id, is_direct)
     select user_id, group_id, workspace_id, false from effective where group_id = any($1)
     on conflict do nothing`,
    [groupIds, userIds],
  )
}

/**
 * A member of a group or of a descendant, with the path to the group that the user was added to.
 */
export type EffectiveMemberRow = {
  user_id: string
  group_id: string
  email: string
  name: string
  avatar_url: string
  added_at: Timestamp
  via: string[]
}

/**
 * Returns the members of a group and of its descendants, by user ID, each with a shortest path. The
 * paths form a tree, so the cost does not grow if groups have several parents.
 */
export function findEffectiveMembers(
  em: EntityManager,
  groupId: string,
): Promise<EffectiveMemberRow[]> {
  return query(
    em,
    `with recursive below (id, depth) as (
       select $1::uuid, 0
       union
       select p.child_id, depth + 1 from below b join group_parents p on p.parent_id = b.id
     ), nearest as materialized (
       select id, min(depth) as depth from below group by id
     ), steps as materialized (
       select distinct on (p.child_id) p.child_id as id, p.parent_id
       from group_parents p
       join nearest child on child.id = p.child_id
       join nearest parent on parent.id = p.parent_id and parent.depth = child.depth - 1
       order by p.child_id, p.parent_id
     ), paths (id, path) as (
       select $1::uuid, '{}'::uuid[]
       union all
       select s.id, path || s.id from paths join steps s on s.parent_id = paths.id
     ), memberships as (
       select distinct on (m.user_id) m.user_id, m.workspace_id, m.added_at, path
       from paths join group_members m on m.group_id = paths.id and m.is_direct
       order by m.user_id, cardinality(path), path
     )
     select s.user_id, $1::uuid as group_id, u.email, s.added_at, s.path::text[] as via,
       case when m.joined_at is null then '' else u.name end as name,
       case when m.joined_at is null then '' else u.avatar_url end as avatar_url
     from memberships s
     join members m on m.user_id = s.user_id and m.workspace_id = s.workspace_id
     join users u on u.id = s.user_id
     order by s.user_id`,
    [groupId],
  )
}
