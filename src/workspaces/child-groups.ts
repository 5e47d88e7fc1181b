import type { EntityManager } from '@mikro-orm/postgresql'
import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  ChildGroupRequest,
  GroupRequest,
  ListGroupsResponse,
} from '../../gen/daikon/v1/groups.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { inTransaction } from '../database/transaction.ts'
import { addLink, removeLink } from './group-hierarchy.ts'
import { describeLink, findChildIds, lockFlatGroups, lockHierarchy } from './group-queries.ts'
import { findGroup, type GroupRow, listGroupsById, requireGroup } from './groups.ts'

/** The maximum number of groups in a chain from a group to a descendant, including both. */
const maxChainLength = 16

/** Lists the children of a group, by name. */
export async function listChildGroups(
  { em }: RequestContext,
  request: GroupRequest,
): Promise<ListGroupsResponse> {
  const { id } = await requireGroup(em, request)
  return { groups: await listGroupsById(em, await findChildIds(em, id)) }
}

/** Adds a group of the same workspace as a child of a group; idempotent. */
export async function addChildGroup(
  { em, principal }: RequestContext,
  request: ChildGroupRequest,
): Promise<Acknowledgement> {
  return inTransaction(em, async (em) => {
    const { parent, child } = await requireLocked(em, request)
    const link = { parentId: parent.id, childId: child.id }
    const { isLinked, isCycle, length } = await describeLink(em, link, maxChainLength)
    if (isLinked) return { status: 'ok' }
    if (isCycle) throw cycle()
    if (length > maxChainLength) throw chainTooLong()
    await addLink(em, link, parent.workspace_id)
    await recordLink({ em, principal }, 'group.child_added', parent, child)
    return { status: 'ok' }
  })
}

/** Removes a child from a group without deleting the child. */
export async function removeChildGroup(
  { em, principal }: RequestContext,
  request: ChildGroupRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const { parent, child } = await requireLocked(em, request)
    const link = { parentId: parent.id, childId: child.id }
    if (!(await removeLink(em, link, parent.workspace_id))) throw childNotFound()
    await recordLink({ em, principal }, 'group.child_removed', parent, child)
    return {}
  })
}

/** Locks the hierarchy of a workspace and finds a group and a child in it. */
async function requireLocked(
  em: EntityManager,
  request: ChildGroupRequest,
): Promise<{ parent: GroupRow; child: GroupRow }> {
  const { workspace_id } = await requireGroup(em, request)
  await lockHierarchy(em, workspace_id)
  await lockFlatGroups(em, workspace_id, [request.group_id, request.child_id])
  // Read under the locks, because a concurrent call may have deleted either group.
  const parent = await requireGroup(em, request)
  const child = await findGroup(em, { workspace_id, group_id: request.child_id })
  if (!child) throw childNotFound()
  return { parent, child }
}

function childNotFound(): ServiceError {
  return new ServiceError('not_found', 'CHILD_GROUP_NOT_FOUND', 'Child group not found')
}

function cycle(): ServiceError {
  return new ServiceError(
    'already_exists',
    'GROUP_CYCLE',
    'The child contains the group, or is the group itself',
  )
}

function chainTooLong(): ServiceError {
  const message = `must not make a chain of more than ${maxChainLength} groups`
  return new ServiceError('invalid_argument', 'GROUP_CHAIN_TOO_LONG', `child_id ${message}`, {
    violations: [{ field: 'child_id', message }],
  })
}

function recordLink(
  { em, principal }: WriteContext,
  action: 'group.child_added' | 'group.child_removed',
  { id, workspace_id, name }: GroupRow,
  child: GroupRow,
): Promise<void> {
  return recordActivity(em, actorOf(principal), {
    action,
    targetId: id,
    workspaceId: workspace_id,
    detail: { name, child_id: child.id },
  })
}
