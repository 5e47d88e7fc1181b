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
import type { RequestContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { Group, GroupMember } from '../database/entities/people.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { requireKnownWorkspace, workspaceMissing } from './require-workspace.ts'

type GroupRow = {
  id: string
  workspace_id: string
  name: string
  description: string
  created_by?: string | null | undefined
  created_at: Date
}

/** Makes a group. */
export async function createGroup(
  { em, principal }: RequestContext,
  { workspace_id, name, description = '' }: GroupCreateRequest,
): Promise<GroupResponse> {
  const { actorId } = actorOf(principal)
  const id = uuid()
  return unlessNameTaken(() =>
    inTransaction(em, async (em) => {
      const group = {
        id,
        workspace_id,
        name: name.trim(),
        description,
        created_by: actorId ?? null,
      }
      await em.insert(Group, group).catch((error) => {
        throw violates(error, 'foreign') ? workspaceMissing() : error
      })
      await recordGroup(em, actorId, 'group.created', group)
      return viewGroup(await requireGroup(em, { group_id: id }))
    }),
  )
}

/** Every group of the workspace, by name. */
export async function listGroups(
  { em }: RequestContext,
  { workspace_id }: ListGroupsRequest,
): Promise<ListGroupsResponse> {
  const groups = await em.find(Group, { workspace_id }, { orderBy: { name: 'asc', id: 'asc' } })
  if (groups.length === 0) await requireKnownWorkspace(em, workspace_id)
  return { groups: groups.map(viewGroup) }
}

/** The groups that a user is in, by name. */
export async function groupsOf(em: EntityManager, user_id: string): Promise<GroupResponse[]> {
  const places = await em.find(GroupMember, { user_id })
  const id = { $in: places.map(({ group_id }) => group_id) }
  const groups = await em.find(Group, { id }, { orderBy: { name: 'asc', id: 'asc' } })
  return groups.map(viewGroup)
}

/** Changes what is given of name and description. */
export async function updateGroup(
  { em, principal }: RequestContext,
  request: GroupUpdateRequest,
): Promise<GroupResponse> {
  const { actorId } = actorOf(principal)
  return unlessNameTaken(() =>
    inTransaction(em, async (em) => {
      const group = await requireGroup(em, request)
      const { name, description } = request
      const changes = changedFields({ name: name?.trim(), description }, group)
      if (!changes) return viewGroup(group)
      if (!(await em.nativeUpdate(Group, { id: group.id }, changes))) throw groupMissing()
      await recordGroup(em, actorId, 'group.updated', { ...group, ...changes })
      return viewGroup({ ...group, ...changes })
    }),
  )
}

/** Deletes a group; its memberships and shares go with it. */
export async function deleteGroup(
  { em, principal }: RequestContext,
  request: GroupRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const group = await requireGroup(em, request)
    // Of two at once one has deleted it.
    if (!(await em.nativeDelete(Group, { id: group.id }))) throw groupMissing()
    await recordGroup(em, actorOf(principal).actorId, 'group.deleted', group)
    return {}
  })
}

/** The group, in the workspace that fences it in where one is given. */
export async function requireGroup(
  em: EntityManager,
  { workspace_id, group_id }: GroupRequest,
): Promise<GroupRow> {
  const fence = workspace_id === undefined ? {} : { workspace_id }
  const group = await em.findOne(Group, { id: group_id, ...fence }, { disableIdentityMap: true })
  if (group) return group
  throw groupMissing()
}

function groupMissing(): ServiceError {
  return new ServiceError('not_found', 'GROUP_NOT_FOUND', 'Group not found')
}

function recordGroup(
  em: EntityManager,
  actorId: string | undefined,
  action: 'group.created' | 'group.updated' | 'group.deleted',
  { id, workspace_id, name }: Pick<GroupRow, 'id' | 'workspace_id' | 'name'>,
): Promise<void> {
  const entry = { action, targetId: id, workspaceId: workspace_id, detail: { name } }
  return recordActivity(em, { actorId }, entry)
}

function viewGroup({ created_by, created_at, ...group }: GroupRow): GroupResponse {
  const { id, workspace_id, name, description } = group
  const base = { id, workspace_id, name, description, created_at: isoTime(created_at) }
  return created_by ? { ...base, created_by } : base
}

async function unlessNameTaken<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!violates(error, 'unique')) throw error
    throw new ServiceError(
      'already_exists',
      'GROUP_NAME_TAKEN',
      'Another group of the workspace has this name',
    )
  }
}
