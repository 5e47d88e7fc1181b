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
import { record } from '../activity/record.ts'
import { actorOf, type Context } from '../rpc/call.ts'
import { Fault } from '../rpc/fault.ts'
import { Group, GroupMember } from '../storage/entities/people.ts'
import { given } from '../storage/given.ts'
import { violates } from '../storage/storage-fault.ts'
import { isoTime } from '../storage/timestamp.ts'
import { inTransaction } from '../storage/transaction.ts'
import { requireKnownWorkspace, workspaceMissing } from './workspace-missing.ts'

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
  { em, caller }: Context,
  { workspace_id, name, description = '' }: GroupCreateRequest,
): Promise<GroupResponse> {
  const { actorId } = actorOf(caller)
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
  { em }: Context,
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
  { em, caller }: Context,
  request: GroupUpdateRequest,
): Promise<GroupResponse> {
  const { actorId } = actorOf(caller)
  return unlessNameTaken(() =>
    inTransaction(em, async (em) => {
      const group = await requireGroup(em, request)
      const { name, description } = request
      const changes = given({ name: name?.trim(), description }, group)
      if (!changes) return viewGroup(group)
      if (!(await em.nativeUpdate(Group, { id: group.id }, changes))) throw groupMissing()
      await recordGroup(em, actorId, 'group.updated', { ...group, ...changes })
      return viewGroup({ ...group, ...changes })
    }),
  )
}

/** Deletes a group; its memberships and shares go with it. */
export async function deleteGroup(
  { em, caller }: Context,
  request: GroupRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const group = await requireGroup(em, request)
    // Of two at once one has deleted it.
    if (!(await em.nativeDelete(Group, { id: group.id }))) throw groupMissing()
    await recordGroup(em, actorOf(caller).actorId, 'group.deleted', group)
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

function groupMissing(): Fault {
  return new Fault('missing', 'GROUP_NOT_FOUND', 'Group not found')
}

function recordGroup(
  em: EntityManager,
  actorId: string | undefined,
  action: 'group.created' | 'group.updated' | 'group.deleted',
  { id, workspace_id, name }: Pick<GroupRow, 'id' | 'workspace_id' | 'name'>,
): Promise<void> {
  const entry = { action, targetId: id, workspaceId: workspace_id, detail: { name } }
  return record(em, { actorId }, entry)
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
    throw new Fault('conflict', 'GROUP_NAME_TAKEN', 'Another group of the workspace has this name')
  }
}
