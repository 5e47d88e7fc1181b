import type { EntityManager } from '@mikro-orm/postgresql'
import {
  deleteDirectMember,
  deleteLink,
  deleteLinksToParents,
  findAncestors,
  findEffectiveUserIds,
  type GroupLink,
  type GroupMembership,
  insertDirectMembers,
  insertLink,
  insertManyDirectMembers,
  lockGroup,
  lockHierarchyIfNested,
  lockMemberships,
  updateInheritedMembers,
} from './group-queries.ts'

/*
 * When a transaction commits, the inherited members of each group are the direct members of its
 * descendants. All functions require a transaction. Locks are taken in this order:
 *
 * 1. The hierarchy of the workspace, for every change of links and for changes of the members of groups
 *    that have links. These changes run one after the other.
 * 2. The row of a group that has no links. Changes of its members lock it like a foreign key, so they do
 *    not wait for each other, and look again for links once they have the lock. Adding its first link
 *    waits for them.
 * 3. Memberships of the workspace, so that a user who leaves it does so before or after the change.
 *
 * A group that gets its first link between the two looks makes its transaction take the first lock after
 * the second. That may be a deadlock, which PostgreSQL resolves and `inTransaction` retries.
 */

/** Adds direct members of groups and returns the new ones. */
export async function addDirectMembers(
  em: EntityManager,
  members: GroupMembership[],
): Promise<{ group_id: string; user_id: string }[]> {
  const groupIds = [...new Set(members.map(({ groupId }) => groupId))]
  await lockHierarchyIfNested(em, groupIds)
  // The foreign keys lock the groups and memberships.
  const added = await insertDirectMembers(em, members)
  if (added.length > 0 && (await lockHierarchyIfNested(em, groupIds))) {
    const userIds = [...new Set(added.map(({ user_id }) => user_id))]
    await updateInheritedMembers(em, { groupIds: await findAncestors(em, groupIds), userIds })
  }
  return added
}

/** Adds direct members like `addDirectMembers`, without returning the new ones. */
export async function addManyDirectMembers(
  em: EntityManager,
  members: GroupMembership[],
): Promise<void> {
  const groupIds = [...new Set(members.map(({ groupId }) => groupId))]
  await lockHierarchyIfNested(em, groupIds)
  await insertManyDirectMembers(em, members)
  if (await lockHierarchyIfNested(em, groupIds)) {
    const userIds = [...new Set(members.map(({ userId }) => userId))]
    await updateInheritedMembers(em, { groupIds: await findAncestors(em, groupIds), userIds })
  }
}

/** Removes a direct member and returns the user's id, or undefined if the user is not one. */
export async function removeDirectMember(
  em: EntityManager,
  member: GroupMembership,
): Promise<string | undefined> {
  const { groupId, userId, workspaceId } = member
  let isNested = await lockHierarchyIfNested(em, [groupId])
  if (!isNested) {
    await lockGroup(em, groupId, 'key share')
    isNested = await lockHierarchyIfNested(em, [groupId])
  }
  if (!isNested) return deleteDirectMember(em, member)
  await lockMemberships(em, workspaceId, [userId])
  const removed = await deleteDirectMember(em, member)
  if (removed) {
    const groupIds = [groupId, ...(await findAncestors(em, [groupId]))]
    await updateInheritedMembers(em, { groupIds, userIds: [removed] })
  }
  return removed
}

/** Links a child to a parent. Requires the locks of the hierarchy and of flat groups. */
export async function addLink(
  em: EntityManager,
  link: GroupLink,
  workspaceId: string,
): Promise<void> {
  await insertLink(em, link, workspaceId)
  await updateAncestors(em, link.childId, workspaceId)
}

/** Removes a link; returns false if there is none. Requires the lock of the hierarchy. */
export async function removeLink(
  em: EntityManager,
  link: GroupLink,
  workspaceId: string,
): Promise<boolean> {
  const { parentId, childId } = link
  const groupIds = [parentId, ...(await findAncestors(em, [parentId]))]
  const userIds = await findEffectiveUserIds(em, childId)
  await lockMemberships(em, workspaceId, userIds)
  if (!(await deleteLink(em, link))) return false
  await updateInheritedMembers(em, { groupIds, userIds })
  return true
}

/** Unlinks a group from all its parents, before it is deleted. */
export async function removeLinksToParents(
  em: EntityManager,
  groupId: string,
  workspaceId: string,
): Promise<void> {
  await lockHierarchyIfNested(em, [groupId])
  await lockGroup(em, groupId, 'update')
  if (!(await lockHierarchyIfNested(em, [groupId]))) return
  const groupIds = await findAncestors(em, [groupId])
  const userIds = await findEffectiveUserIds(em, groupId)
  await lockMemberships(em, workspaceId, userIds)
  await deleteLinksToParents(em, groupId)
  await updateInheritedMembers(em, { groupIds, userIds })
}

/** Passes the members of a group on to its ancestors. */
async function updateAncestors(
  em: EntityManager,
  groupId: string,
  workspaceId: string,
): Promise<void> {
  const groupIds = await findAncestors(em, [groupId])
  const userIds = await findEffectiveUserIds(em, groupId)
  await lockMemberships(em, workspaceId, userIds)
  await updateInheritedMembers(em, { groupIds, userIds })
}
