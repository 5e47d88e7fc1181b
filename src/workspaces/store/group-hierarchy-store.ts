import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import { MemberStore } from './member-store.ts'

/** A user in a group, and the workspace that both belong to. */
export type GroupMembership = { groupId: string; userId: string; workspaceId: string }

/** A parent group and its child. */
export type GroupLink = { parentId: string; childId: string; workspaceId: string }

/**
 * The links between groups and the members of groups. When a transaction commits, the inherited
 * members of each group are the direct members of its descendants.
 *
 * All methods that lock or change require a transaction. Locks are taken in this order:
 *
 * 1. The hierarchy of the workspace, for every change to links and to members of groups that have
 *    links. These changes run one after the other.
 * 2. The row of a group without links. Changes to its members take the same lock as a foreign key,
 *    so they do not wait for each other. They check again for links once they hold the lock. Adding
 *    the first link waits for them.
 * 3. Memberships of the workspace, so that a user leaves it either before or after the change.
 *
 * If a group gets its first link between the two checks, the transaction takes the first lock after
 * the second. This can cause a deadlock, which PostgreSQL resolves and `transaction` retries.
 */
export class GroupHierarchyStore {
  readonly #em: EntityManager
  readonly #members: MemberStore

  constructor(em: EntityManager) {
    this.#em = em
    this.#members = new MemberStore(em)
  }

  /** Locks the hierarchy of a workspace, and the groups that have no links yet. */
  async lock(workspaceId: string, groupIds: string[]): Promise<void> {
    await query(this.#em, `select ${lockOfWorkspace('$1::text')}`, [workspaceId])
    await query(this.#em, lockFlatGroupsSql, [workspaceId, groupIds])
  }

  /**
   * Locks the hierarchies of the workspaces in which any of the groups has a parent or a child.
   * Returns whether there are any.
   */
  async lockIfNested(groupIds: string[]): Promise<boolean> {
    return (await query(this.#em, lockIfNestedSql, [groupIds])).length > 0
  }

  /**
   * Returns whether a group is already a child, whether adding it would close a cycle, and the
   * number of groups in the longest chain through the new link. Counting stops at `maxLength` in
   * each direction.
   */
  async describeLink(
    { parentId, childId }: GroupLink,
    maxLength: number,
  ): Promise<{ isLinked: boolean; isCycle: boolean; length: number }> {
    type Row = { isLinked: boolean; isCycle: boolean; length: number }
    const [link] = await query<Row>(this.#em, describeLinkSql, [parentId, childId, maxLength])
    if (!link) throw new Error('The statement returned no row')
    return link
  }

  /** Makes a group a child of another one. Requires the lock. */
  async addLink({ parentId, childId, workspaceId }: GroupLink): Promise<void> {
    const sql = 'insert into group_parents (parent_id, child_id, workspace_id) values ($1, $2, $3)'
    await query(this.#em, sql, [parentId, childId, workspaceId])
    const userIds = await this.#keepMembers(childId, workspaceId)
    await this.#updateInheritedMembers([parentId], userIds)
  }

  /** Removes a link. Returns false if it does not exist. Requires the lock. */
  removeLink(link: GroupLink): Promise<boolean> {
    return this.#removeLinks(link)
  }

  /** Unlinks a group that is to be deleted from all its parents. */
  async removeFromParents({ id, workspaceId }: { id: string; workspaceId: string }): Promise<void> {
    if (await this.#lockGroup(id, 'update')) await this.#removeLinks({ childId: id, workspaceId })
  }

  /**
   * Adds direct members of groups, including users who are already inherited members. Returns the
   * number of users who were not direct members before.
   */
  async addMembers(members: GroupMembership[]): Promise<number> {
    const groupIds = [...new Set(members.map(({ groupId }) => groupId))]
    await this.lockIfNested(groupIds)
    // The foreign keys lock the groups and memberships.
    const [row] = await query<{ count: number }>(this.#em, insertMembersSql, [
      members.map(({ groupId }) => groupId),
      members.map(({ userId }) => userId),
      members.map(({ workspaceId }) => workspaceId),
    ])
    const count = row?.count ?? 0
    if (count > 0 && (await this.lockIfNested(groupIds))) {
      const userIds = [...new Set(members.map(({ userId }) => userId))]
      await this.#updateInheritedMembers(groupIds, userIds)
    }
    return count
  }

  /** Removes a direct member. Returns false if the user is not a direct member. */
  async removeMember({ groupId, userId, workspaceId }: GroupMembership): Promise<boolean> {
    const removed = await this.removeMembers({ groupId, workspaceId }, [userId])
    return removed.length > 0
  }

  /** Removes direct members of a group. Returns the IDs of the users who were direct members. */
  async removeMembers(
    { groupId, workspaceId }: Omit<GroupMembership, 'userId'>,
    userIds: string[],
  ): Promise<string[]> {
    const isNested = await this.#lockGroup(groupId, 'key share')
    if (isNested) await this.#members.keep(workspaceId, userIds)
    const rows = await query<{ id: string }>(this.#em, deleteMembersSql, [groupId, userIds])
    const removed = rows.map(({ id }) => id)
    if (isNested && removed.length > 0) await this.#updateInheritedMembers([groupId], removed)
    return removed
  }

  /**
   * Locks the hierarchy of a group that has links, and returns whether it has any. Also locks the
   * row of the group: with `update` always, and with `key share`, which is the lock that a foreign
   * key takes on its target, if the group has no links. The two locks conflict.
   */
  async #lockGroup(id: string, strength: 'key share' | 'update'): Promise<boolean> {
    const isNested = await this.lockIfNested([id])
    if (isNested && strength === 'key share') return true
    await query(this.#em, `select from groups where id = $1 for ${strength}`, [id])
    return this.lockIfNested([id])
  }

  async #removeLinks({
    parentId,
    childId,
    workspaceId,
  }: Omit<GroupLink, 'parentId'> & { parentId?: string }): Promise<boolean> {
    const userIds = await this.#keepMembers(childId, workspaceId)
    const parents = await query<{ id: string }>(this.#em, deleteLinksSql, [childId, parentId])
    const parentIds = parents.map(({ id }) => id)
    if (parentIds.length > 0) await this.#updateInheritedMembers(parentIds, userIds)
    return parentIds.length > 0
  }

  /** Prevents the direct and inherited members of a group from leaving, and returns their IDs. */
  async #keepMembers(groupId: string, workspaceId: string): Promise<string[]> {
    const sql = 'select user_id as id from group_members where group_id = $1'
    const users = await query<{ id: string }>(this.#em, sql, [groupId])
    const userIds = users.map(({ id }) => id)
    await this.#members.keep(workspaceId, userIds)
    return userIds
  }

  /**
   * Recomputes which of the users are inherited members of the groups and of their ancestors, from
   * the direct members of their descendants. Requires the locks on the hierarchies of all workspaces
   * that the groups belong to.
   */
  async #updateInheritedMembers(groupIds: string[], userIds: string[]): Promise<void> {
    const ancestors = await query<{ id: string }>(this.#em, ancestorsSql, [groupIds])
    const changed = [...groupIds, ...ancestors.map(({ id }) => id)]
    await query(this.#em, updateInheritedMembersSql, [changed, userIds])
  }
}

const lockOfWorkspace = (workspaceId: string) =>
  `pg_advisory_xact_lock(hashtextextended('daikon groups ' || ${workspaceId}, 0))`

/** $1 group IDs. */
const lockIfNestedSql = `
  select ${lockOfWorkspace('workspace_id')} from (
    select workspace_id from group_parents where child_id = any($1::uuid[])
    union
    select workspace_id from group_parents where parent_id = any($1::uuid[])
    order by 1
  ) nested`

/** $1 workspace ID, $2 group IDs. Locks the groups without parents or children. */
const lockFlatGroupsSql = `
  select from groups g
  where workspace_id = $1 and id = any($2::uuid[])
    and not exists (select from group_parents where child_id = g.id)
    and not exists (select from group_parents where parent_id = g.id)
  order by id for update`

/** $1 parent ID, $2 child ID, $3 maximum length. */
const describeLinkSql = `
  with recursive above (id, length) as (
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
    (select max(length) from above) + (select max(length) from below) as length`

/** $1 child ID, $2 parent ID, or null for all parents. Returns the IDs of the parents. */
const deleteLinksSql = `
  delete from group_parents where child_id = $1 and ($2::uuid is null or parent_id = $2)
  returning parent_id as id`

/** $1 group IDs, $2 user IDs, $3 workspace IDs. */
const insertMembersSql = `
  with added as (
    insert into group_members (group_id, user_id, workspace_id)
    select * from unnest($1::uuid[], $2::uuid[], $3::uuid[])
    on conflict (group_id, user_id) do update set is_direct = true, added_at = now()
      where not group_members.is_direct
    returning group_id
  )
  select count(*)::int as count from added`

/** $1 group ID, $2 user IDs. */
const deleteMembersSql = `
  delete from group_members where group_id = $1 and user_id = any($2::uuid[]) and is_direct
  returning user_id as id`

/** $1 group IDs. */
const ancestorsSql = `
  with recursive ancestors (id) as (
    select parent_id from group_parents where child_id = any($1::uuid[])
    union
    select p.parent_id from ancestors a join group_parents p on p.child_id = a.id
  )
  select id from ancestors`

/** $1 group IDs, $2 user IDs. */
const updateInheritedMembersSql = `
  with recursive effective (user_id, group_id, workspace_id) as (
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
  on conflict do nothing`
