import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { Principal } from '../core/request-context.ts'
import { memberNotFoundOr } from '../workspaces/member-rules.ts'
import { createNamedEvent } from '../workspaces/named-objects.ts'
import type { GroupHierarchyStore } from '../workspaces/store/group-hierarchy-store.ts'
import type { GroupStore, StoredGroup } from '../workspaces/store/group-store.ts'
import { invalidValue } from './scim-errors.ts'
import type { ScimGroupStore } from './store/scim-group-store.ts'

/** The stores of a change to the members of a group. */
export type GroupMemberStores = {
  activity: ActivityStore
  groups: GroupStore
  groupHierarchy: GroupHierarchyStore
  scimGroups: ScimGroupStore
}

export type GroupChange = { tx: GroupMemberStores; principal: Principal }

/**
 * Adds people to a group, now or when they become members of the workspace again.
 *
 * @throws a ServiceError INVALID_VALUE if the directory has not provisioned one of them
 */
export async function addMembers(
  { tx, principal }: GroupChange,
  group: StoredGroup,
  userIds: string[],
): Promise<void> {
  if (userIds.length === 0) return
  const people = await tx.scimGroups.addMembers(group, userIds)
  const found = new Set(people.map(({ userId }) => userId))
  const unknown = userIds.find((id) => !found.has(id))
  if (unknown) throw invalidValue('members', `contains ${unknown}, which is not the ID of a user`)
  const members = people.filter(({ isMember }) => isMember).map(({ userId }) => userId)
  const present = await tx.groups.findDirectMembers(group.id, members)
  const added = members.filter((id) => !present.has(id))
  if (added.length === 0) return
  const { id: groupId, workspaceId } = group
  const memberships = added.map((userId) => ({ groupId, userId, workspaceId }))
  await tx.groupHierarchy.addMembers(memberships).catch((error) => {
    throw memberNotFoundOr(error)
  })
  const events = added.map((id) => createNamedEvent('group.member_added', group, { user_id: id }))
  await tx.activity.record(actorOf(principal), ...events)
}

/** Removes people whom the directory has added to a group. */
export async function removeMembers(
  { tx, principal }: GroupChange,
  group: StoredGroup,
  userIds: string[],
): Promise<void> {
  if (userIds.length === 0) return
  const people = await tx.scimGroups.removeMembers(group.id, userIds)
  const { id: groupId, workspaceId } = group
  const removed = await tx.groupHierarchy.removeMembers({ groupId, workspaceId }, people)
  const events = removed
    .sort()
    .map((id) => createNamedEvent('group.member_removed', group, { user_id: id }))
  await tx.activity.record(actorOf(principal), ...events)
}

/** Makes the people whom the directory has added to a group the given ones. */
export async function replaceMembers(
  change: GroupChange,
  group: StoredGroup,
  userIds: string[],
): Promise<void> {
  const before = await change.tx.scimGroups.listMembers([group.id])
  const kept = new Set(userIds)
  const removed = before.map(({ userId }) => userId).filter((id) => !kept.has(id))
  await removeMembers(change, group, removed)
  await addMembers(change, group, userIds)
}
