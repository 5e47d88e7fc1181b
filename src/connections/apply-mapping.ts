import type { ActivityStore } from '../activity/store/activity-store.ts'
import { changedFields } from '../core/changed-fields.ts'
import { createGroupMemberEvent } from '../workspaces/group-members.ts'
import { recordStandings, type Standing } from '../workspaces/guests.ts'
import type { GroupHierarchyStore } from '../workspaces/store/group-hierarchy-store.ts'
import type { GroupStore } from '../workspaces/store/group-store.ts'
import type { MemberId, MemberStore } from '../workspaces/store/member-store.ts'
import type { MappedClaims } from './mapping.ts'

export type MappingStores = {
  activity: ActivityStore
  groups: GroupStore
  groupHierarchy: GroupHierarchyStore
  members: MemberStore
}

/**
 * Gives a member the role and groups of a mapping, and records what changes. The last active owner
 * remains one, and support access keeps its role. The caller must have locked the workspace.
 */
export async function applyMapping(
  tx: MappingStores,
  member: MemberId,
  { standing, groups }: Pick<MappedClaims, 'standing' | 'groups'>,
): Promise<void> {
  if (standing) await changeStanding(tx, member, standing)
  if (groups) await changeGroups(tx, member, groups)
}

/**
 * Records at most once a day that tokens of a connection lack claims of the mapping. The caller must
 * have locked the workspace.
 */
export async function recordMissingClaims(
  { activity }: MappingStores,
  { id: targetId, workspaceId }: { id: string; workspaceId: string },
  claims: string[],
  now: Date,
): Promise<void> {
  const action = 'connection.claims_missing'
  if (claims.length === 0 || (await activity.wasRecordedToday(action, targetId, now))) return
  const detail = { claims: claims.join(', '), cure }
  await activity.record(system, { action, targetId, workspaceId, detail })
}

const cure =
  'Make the provider send fewer values: in Microsoft Entra ID, only the groups assigned to the application, or app roles'

const system = { actorId: undefined }

async function changeStanding(tx: MappingStores, id: MemberId, standing: Standing): Promise<void> {
  const member = await tx.members.find(id)
  if (!member || member.supportReason !== null) return
  const changes = changedFields(standing, member)
  if (!changes) return
  if (member.role === 'owner' && !(await tx.members.hasOtherActiveOwner(id))) return
  await tx.members.update(id, changes)
  await recordStandings(tx.activity, system, { before: member, after: standing })
}

async function changeGroups(
  tx: MappingStores,
  { userId, workspaceId }: MemberId,
  { given, managed }: { given: Set<string>; managed: Set<string> },
): Promise<void> {
  const direct = await tx.groups.listOfUser(userId)
  const current = new Set(direct.map(({ id }) => id))
  for (const groupId of [...managed].toSorted()) {
    if (given.has(groupId) === current.has(groupId)) continue
    // The group may have been deleted since the mapping was saved.
    const group = await tx.groups.find(groupId, workspaceId)
    if (!group) continue
    const membership = { groupId, userId, workspaceId }
    const isAdded = given.has(groupId)
    if (isAdded) await tx.groupHierarchy.addMembers([membership])
    else await tx.groupHierarchy.removeMember(membership)
    const action = isAdded ? 'group.member_added' : 'group.member_removed'
    await tx.activity.record(system, createGroupMemberEvent(action, group, userId))
  }
}
