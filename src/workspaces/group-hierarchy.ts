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
 * 1. The hierarchy of the workspace, for every change to links and to members of groups that have
 *    links. These changes run one after the other.
 * 2. The row of a group without links. Changes to its members take the same lock as a foreign key,
 *    so they do not wait for each other. They check again for links once they hold the lock. Adding
 *    the first link waits for them.
 * 3. Memberships of the workspace, so that a user leaves it either before or after the change.
 *
 * If a group gets its first link between the two checks, the transaction takes the first lock after
 * the second. This can cause a deadlock, which PostgreSQL resolves and `inTransaction` retries.
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

/** Adds direct members like `addDirectMembers`, but does not return them. */
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

/**
 * Removes a direct member. Returns the user's ID, or undefined if the user is not a direct member.
 */
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

/** Links a child to a parent. Requires the locks on the hierarchy and on flat groups. */
export async function addLink(
  em: EntityManager,
  link: GroupLink,
  workspaceId: string,
): Promise<void> {
  await insertLink(em, link, workspaceId)
  await updateAncestors(em, link.childId, workspaceId)
}

/** Removes a link. Returns false if it does not exist. Requires the lock on the hierarchy. */
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

/** Unlinks a group that is to be deleted from all its parents. */
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

/** Updates the inherited members of a group's ancestors. */
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
