import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  GroupCreateRequest,
  GroupRequest,
  GroupResponse,
  GroupUpdateRequest,
  ListGroupsRequest,
  ListGroupsResponse,
} from '../../gen/daikon/v1/groups.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { changedFields } from '../core/changed-fields.ts'
import { ServiceError } from '../core/errors.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { Group, GroupMember } from '../database/entities/people.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { removeLinksToParents } from './group-hierarchy.ts'
import { lockWorkspace } from './member-rules.ts'
import { requireWorkspaceQuota } from './quotas.ts'
import { requireWorkspaceExists } from './workspaces.ts'

export type GroupRow = {
  id: string
  workspace_id: string
  name: string
  description: string
  created_by?: string | null | undefined
  created_at: Date
}

/** Creates an empty group. */
export async function createGroup(
  { em, principal, quotas }: RequestContext & QuotaContext,
  { name, description = '', ...request }: GroupCreateRequest,
): Promise<GroupResponse> {
  const id = uuid()
  return rejectDuplicateName(() =>
    inTransaction(em, async (em) => {
      const workspace_id = await lockWorkspace(em, request.workspace_id)
      await requireWorkspaceQuota(em, quotas, workspace_id, 'MAX_GROUPS_PER_WORKSPACE')
      const group = {
        id,
        workspace_id,
        name: name.trim(),
        description,
        created_by: actorOf(principal).actorId ?? null,
      }
      await em.insert(Group, group)
      await recordGroup({ em, principal }, 'group.created', group)
      return toGroupResponse(await requireGroup(em, { group_id: id }))
    }),
  )
}

/** Lists the groups of a workspace, by name. */
export async function listGroups(
  { em }: RequestContext,
  { workspace_id }: ListGroupsRequest,
): Promise<ListGroupsResponse> {
  const groups = await em.find(Group, { workspace_id }, { orderBy: { name: 'asc', id: 'asc' } })
  if (groups.length === 0) await requireWorkspaceExists(em, workspace_id)
  return { groups: groups.map(toGroupResponse) }
}

/** Lists the groups of which a user is a direct member, by name. */
export async function listUserGroups(em: EntityManager, user_id: string): Promise<GroupResponse[]> {
  const memberships = await em.find(GroupMember, { user_id, is_direct: true })
  return listGroupsById(
    em,
    memberships.map(({ group_id }) => group_id),
  )
}

/** Lists groups, by name. */
export async function listGroupsById(em: EntityManager, ids: string[]): Promise<GroupResponse[]> {
  const id = { $in: ids }
  const groups = await em.find(Group, { id }, { orderBy: { name: 'asc', id: 'asc' } })
  return groups.map(toGroupResponse)
}

/** Changes the name or description of a group. */
export async function updateGroup(
  { em, principal }: RequestContext,
  request: GroupUpdateRequest,
): Promise<GroupResponse> {
  return rejectDuplicateName(() =>
    inTransaction(em, async (em) => {
      const group = await requireGroup(em, request)
      const { name, description } = request
      const changes = changedFields({ name: name?.trim(), description }, group)
      if (!changes) return toGroupResponse(group)
      if (!(await em.nativeUpdate(Group, { id: group.id }, changes))) throw groupNotFound()
      await recordGroup({ em, principal }, 'group.updated', { ...group, ...changes })
      return toGroupResponse({ ...group, ...changes })
    }),
  )
}

/** Deletes a group with its memberships and the shares granted to it. */
export async function deleteGroup(
  { em, principal }: RequestContext,
  request: GroupRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const group = await requireGroup(em, request)
    await removeLinksToParents(em, group.id, group.workspace_id)
    // A concurrent call may have deleted the group.
    if (!(await em.nativeDelete(Group, { id: group.id }))) throw groupNotFound()
    await recordGroup({ em, principal }, 'group.deleted', group)
    return {}
  })
}

/** Finds a group by its ID, and by `workspace_id` if it is set. */
export async function findGroup(
  em: EntityManager,
  { workspace_id, group_id }: GroupRequest,
): Promise<GroupRow | undefined> {
  const where = workspace_id === undefined ? { id: group_id } : { id: group_id, workspace_id }
  return (await em.findOne(Group, where, { disableIdentityMap: true })) ?? undefined
}

/** Works like `findGroup`, but throws GROUP_NOT_FOUND. */
export async function requireGroup(em: EntityManager, request: GroupRequest): Promise<GroupRow> {
  const group = await findGroup(em, request)
  if (!group) throw groupNotFound()
  return group
}

export function groupNotFound(): ServiceError {
  return new ServiceError('not_found', 'GROUP_NOT_FOUND', 'Group not found')
}

function recordGroup(
  { em, principal }: WriteContext,
  action: 'group.created' | 'group.updated' | 'group.deleted',
  { id, workspace_id, name }: Pick<GroupRow, 'id' | 'workspace_id' | 'name'>,
): Promise<void> {
  return recordActivity(em, actorOf(principal), {
    action,
    targetId: id,
    workspaceId: workspace_id,
    detail: { name },
  })
}

function toGroupResponse(group: GroupRow): GroupResponse {
  const { id, workspace_id, name, description, created_by, created_at } = group
  const response = { id, workspace_id, name, description, created_at: isoTime(created_at) }
  return created_by ? { ...response, created_by } : response
}

async function rejectDuplicateName<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!violates(error, 'unique')) throw error
    throw new ServiceError(
      'already_exists',
      'GROUP_NAME_TAKEN',
      'Another group in the workspace has this name',
    )
  }
}
