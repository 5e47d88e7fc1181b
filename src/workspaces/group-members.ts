import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  GroupMemberRequest,
  GroupMemberResponse,
  ListGroupMembersRequest,
  ListGroupMembersResponse,
} from '../../gen/daikon/v1/groups.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { isAdministrative, type WriteContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { requireGroup } from './groups.ts'
import { memberNotFound, memberNotFoundOr } from './member-rules.ts'
import { requireMember } from './members.ts'
import { createNamedEvent, listOrPage } from './named-objects.ts'
import type { GroupHierarchyStore } from './store/group-hierarchy-store.ts'
import type { GroupMemberProfile, GroupStore } from './store/group-store.ts'
import type { MemberStore } from './store/member-store.ts'

type ChangeStores = {
  groups: GroupStore
  groupHierarchy: GroupHierarchyStore
  activity: ActivityStore
}

/**
 * Lists the direct members of a group: a page, or without `page` all of them by user ID.
 * `effective` includes inherited members.
 */
export async function listGroupMembers(
  { stores, principal }: WriteContext<{ groups: GroupStore }>,
  request: ListGroupMembersRequest,
): Promise<ListGroupMembersResponse> {
  const { id: groupId } = await requireGroup(stores.groups, request)
  const { effective, q } = request
  const filter = { groupId, effective, q, showsInvited: isAdministrative(principal) }
  const toResponse = (member: GroupMemberProfile) => toGroupMemberResponse(groupId, member)
  const { items, ...total } = await listOrPage(
    request,
    () => stores.groups.listMembers(filter),
    (page) => stores.groups.listMemberPage(filter, page),
  )
  return { members: items.map(toResponse), ...total }
}

function toGroupMemberResponse(
  groupId: string,
  { userId, email, name, avatarUrl, addedAt, via = [] }: GroupMemberProfile,
): GroupMemberResponse {
  return {
    user_id: userId,
    group_id: groupId,
    email,
    name,
    avatar_url: avatarUrl,
    added_at: isoTime(addedAt),
    via,
  }
}

/** Adds a member of the group's workspace to a group; idempotent. */
export async function addGroupMember(
  { stores, principal }: WriteContext<ChangeStores & { members: MemberStore }>,
  request: GroupMemberRequest,
): Promise<Acknowledgement> {
  const userId = request.user_id
  return stores.transaction(async (tx) => {
    const group = await requireGroup(tx.groups, request)
    const membership = { groupId: group.id, userId, workspaceId: group.workspaceId }
    await requireMember(tx.members, membership)
    const added = await tx.groupHierarchy.addMembers([membership]).catch((error) => {
      throw memberNotFoundOr(error)
    })
    if (added > 0) {
      const event = createNamedEvent('group.member_added', group, { user_id: userId })
      await tx.activity.record(actorOf(principal), event)
    }
    return { status: 'ok' }
  })
}

/** Removes a direct member from a group. */
export async function removeGroupMember(
  { stores, principal }: WriteContext<ChangeStores>,
  request: GroupMemberRequest,
): Promise<DeleteResponse> {
  const userId = request.user_id
  return stores.transaction(async (tx) => {
    const group = await requireGroup(tx.groups, request)
    const membership = { groupId: group.id, userId, workspaceId: group.workspaceId }
    if (!(await tx.groupHierarchy.removeMember(membership))) throw memberNotFound()
    const event = createNamedEvent('group.member_removed', group, { user_id: userId })
    await tx.activity.record(actorOf(principal), event)
    return {}
  })
}
