import type {
  DeleteGroupRequest,
  GroupCreateRequest,
  GroupRequest,
  GroupResponse,
  GroupUpdateRequest,
  ListGroupsRequest,
  ListGroupsResponse,
} from '../../gen/daikon/v1/groups.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, userIdOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { requireMatch } from '../core/entity-tag.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/new-id.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { lockWorkspace } from './member-rules.ts'
import {
  changeNamed,
  createNamedEvent,
  listOrPage,
  rejectTakenName,
  tagOf,
} from './named-objects.ts'
import { requireWorkspaceQuota } from './quotas.ts'
import { reasons } from './reasons.ts'
import type { GroupHierarchyStore } from './store/group-hierarchy-store.ts'
import type { GroupStore, StoredGroup } from './store/group-store.ts'
import type { WorkspaceStore } from './store/workspace-store.ts'
import { requireWorkspaceExists } from './workspaces.ts'

type GroupStores = { groups: GroupStore; activity: ActivityStore }

/** Creates an empty group. */
export async function createGroup(
  {
    stores,
    principal,
    quotas,
  }: WriteContext<GroupStores & { workspaces: WorkspaceStore }> & QuotaContext,
  { name, description = '', ...request }: GroupCreateRequest,
): Promise<GroupResponse> {
  const actor = actorOf(principal)
  const created = { id: newId(), name: name.trim(), description, createdBy: userIdOf(actor) }
  return stores.transaction(async (tx) => {
    const workspaceId = await lockWorkspace(tx.workspaces, request.workspace_id)
    await requireWorkspaceQuota(tx.workspaces, quotas, workspaceId, 'MAX_GROUPS_PER_WORKSPACE')
    await rejectTakenName(reasons.GROUP_NAME_TAKEN, tx.groups.insert({ ...created, workspaceId }))
    const group = await requireGroup(tx.groups, { group_id: created.id })
    await tx.activity.record(actor, createNamedEvent('group.created', group, {}))
    return toGroupResponse(group)
  })
}

/** Lists the groups of a workspace, by name: a page, or without `page` all of them. */
export async function listGroups(
  { stores }: RequestContext<{ groups: GroupStore; workspaces: WorkspaceStore }>,
  { workspace_id, q, ...request }: ListGroupsRequest,
): Promise<ListGroupsResponse> {
  const { items, ...total } = await listOrPage(
    request,
    () => stores.groups.list(workspace_id, q),
    (page) => stores.groups.listPage(workspace_id, q, page),
  )
  if (items.length === 0) await requireWorkspaceExists(stores.workspaces, workspace_id)
  return { groups: items.map(toGroupResponse), ...total }
}

/** Lists the groups that a user is a direct member of, by name. */
export async function listUserGroups(groups: GroupStore, userId: string): Promise<GroupResponse[]> {
  return (await groups.listOfUser(userId)).map(toGroupResponse)
}

/** Returns a group. */
export async function getGroup(
  { stores }: RequestContext<{ groups: GroupStore }>,
  request: GroupRequest,
): Promise<GroupResponse> {
  return toTaggedResponse(await requireGroup(stores.groups, request))
}

/** Changes the name or description of a group. */
export async function updateGroup(
  { stores, principal }: WriteContext<GroupStores>,
  request: GroupUpdateRequest,
): Promise<GroupResponse> {
  return stores.transaction(async (tx) => {
    const group = await lockGroup(tx.groups, request)
    const after = await changeNamed(tx.groups, group, request, reasons.GROUP_NAME_TAKEN)
    if (!after) return toTaggedResponse(group)
    await tx.activity.record(actorOf(principal), createNamedEvent('group.updated', after, {}))
    return toTaggedResponse(after)
  })
}

/** Deletes a group with its memberships and the shares granted to it. */
export async function deleteGroup(
  { stores, principal }: WriteContext<GroupStores & { groupHierarchy: GroupHierarchyStore }>,
  request: DeleteGroupRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const group = await lockGroup(tx.groups, request)
    await tx.groupHierarchy.removeFromParents(group)
    await tx.groups.delete(group.id)
    await tx.activity.record(actorOf(principal), createNamedEvent('group.deleted', group, {}))
    return {}
  })
}

/** Finds a group by its ID, and by `workspace_id` if it is set, or throws GROUP_NOT_FOUND. */
export async function requireGroup(
  groups: GroupStore,
  { workspace_id, group_id }: GroupRequest,
): Promise<StoredGroup> {
  const group = await groups.find(group_id, workspace_id)
  if (!group) throw groupNotFound()
  return group
}

/** Locks a group until the end of the transaction, and checks `if_match`. */
async function lockGroup(
  groups: GroupStore,
  { workspace_id, group_id, if_match }: DeleteGroupRequest,
): Promise<StoredGroup> {
  const group = await groups.lock(group_id, workspace_id)
  if (!group) throw groupNotFound()
  requireMatch(if_match, tagOf(group))
  return group
}

export function groupNotFound(): ServiceError {
  return new ServiceError(reasons.GROUP_NOT_FOUND)
}

function toTaggedResponse(group: StoredGroup): GroupResponse {
  return { ...toGroupResponse(group), etag: tagOf(group) }
}

export function toGroupResponse(group: StoredGroup): GroupResponse {
  const { id, workspaceId, name, description, createdBy, createdAt } = group
  return {
    id,
    workspace_id: workspaceId,
    name,
    description,
    created_at: isoTime(createdAt),
    ...(createdBy && { created_by: createdBy }),
  }
}
