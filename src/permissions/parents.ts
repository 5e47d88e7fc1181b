import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  ParentResource,
  ResourcePermissionResponse,
  UpdateParentRequest,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { Principal, RequestContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { query } from '../database/query.ts'
import { inTransaction } from '../database/transaction.ts'
import { grant, isAllowed } from './access.ts'
import { maxChainLength } from './grants-query.ts'
import {
  chainLengthSql,
  lockNewParentSql,
  lockTreesSql,
  markParentSql,
  movedChainSql,
  parentSql,
  placeSql,
  shareTreesSql,
  updateParentSql,
} from './parent-queries.ts'
import type { Resource } from './queries.ts'
import {
  findUserGrants,
  requireManageableResource,
  requireResource,
  resourceNotFound,
  viewResource,
} from './resource.ts'

/** What activity entries name instead of a parent. */
const noParent = 'none'

/** A resource that is, or becomes, a parent. */
type ParentRow = {
  id: string
  kind_id: number
  resource_id: string
  resource_type: string
  is_parent: boolean
}

/** The position of a resource in its tree. */
type Place = {
  parent_id: string | null
  inherits: boolean
  parent_type: string | null
  parent_resource_id: string | null
}

/**
 * Moves a resource with everything below it, or changes whether it inherits. A change is recorded;
 * setting the current values is not.
 *
 * @throws ServiceError `invalid_argument` for an unknown parent or a chain that would be too long,
 * `already_exists` if the parent is the resource itself or below it, `permission_denied` if the user
 * whose token accompanies the change may not manage the resource or edit the parent
 */
export async function updateParent(
  { em, principal }: RequestContext,
  request: UpdateParentRequest,
): Promise<ResourcePermissionResponse> {
  if (request.parent && request.detach)
    throw invalidArgument({ field: 'detach', message: 'must not be combined with parent' })
  const resource = await requireManageableResource(em, principal, request)
  await inTransaction(em, (em) => changePlace(em, principal, resource, request))
  const unscoped = { service: { name: undefined } }
  return viewResource(em, await requireResource(em, unscoped, { permission_id: resource.id }))
}

async function changePlace(
  em: EntityManager,
  principal: Principal,
  resource: Resource,
  request: UpdateParentRequest,
): Promise<void> {
  await query(em, lockTreesSql, [resource.workspace_id])
  const [before] = await query<Place>(em, placeSql, [resource.id])
  if (!before) throw resourceNotFound()
  const parent = request.parent && (await requireParent(em, resource, request.parent))
  if (parent) await requireEditableParent(em, principal, parent)

  const parentId = request.detach ? null : (parent?.id ?? before.parent_id)
  const inherits = request.inherits ?? before.inherits
  if (parentId === before.parent_id && inherits === before.inherits) return
  if (parent && parent.id !== before.parent_id) {
    await requireValidMove(em, resource, parent)
    await markParent(em, parent)
  }
  try {
    await query(em, updateParentSql, [resource.id, parentId, inherits])
  } catch (error) {
    // The parent was unregistered concurrently.
    if (violates(error, 'foreign')) throw unknownParent()
    throw error
  }
  const { id, workspace_id, service_name, resource_type, resource_id } = resource
  const from = describePlace(before.parent_type, before.parent_resource_id)
  const moved = parent ? describePlace(parent.resource_type, parent.resource_id) : from
  await recordActivity(em, actorOf(principal), {
    action: 'permission.parent_changed',
    targetId: id,
    workspaceId: workspace_id,
    detail: {
      service_name,
      resource_type,
      resource_id,
      from,
      to: parentId === null ? noParent : moved,
      inherits: String(inherits),
    },
  })
}

/** Requires that the user whose token accompanies a change may edit the parent. */
async function requireEditableParent(
  em: EntityManager,
  { user }: Principal,
  { id }: ParentRow,
): Promise<void> {
  if (!user) return
  const grants = grant.registered | (await findUserGrants(em, user, id))
  if (isAllowed(user.role, 'edit', grants)) return
  const detail = 'Requires permission to edit the parent'
  throw new ServiceError('permission_denied', 'PARENT_NOT_EDITABLE', detail)
}

/**
 * Prepares the transaction of `em` for inserting a child: finds the parent, checks that the chain does
 * not become too long, and makes it a parent. Returns undefined if the parent is unknown.
 */
export async function prepareParent(
  em: EntityManager,
  principal: Principal,
  scope: { service_name: string; workspace_id: string },
  names: ParentResource,
): Promise<ParentRow | undefined> {
  await query(em, shareTreesSql, [scope.workspace_id])
  const parent = await findParent(em, scope, names)
  if (!parent) return undefined
  await requireEditableParent(em, principal, parent)
  const [chain] = await query<{ length: number }>(em, chainLengthSql, [parent.id])
  if (chain && chain.length >= maxChainLength) throw chainTooLong()
  await markParent(em, parent)
  return parent
}

async function requireParent(
  em: EntityManager,
  scope: { service_name: string; workspace_id: string },
  names: ParentResource,
): Promise<ParentRow> {
  const parent = await findParent(em, scope, names)
  if (!parent) throw unknownParent()
  return parent
}

async function findParent(
  em: EntityManager,
  { service_name, workspace_id }: { service_name: string; workspace_id: string },
  { resource_type, resource_id }: ParentResource,
): Promise<ParentRow | undefined> {
  const values = [service_name, resource_type, resource_id, workspace_id]
  const [parent] = await query<ParentRow>(em, parentSql, values)
  return parent
}

async function requireValidMove(
  em: EntityManager,
  { id }: Resource,
  parent: ParentRow,
): Promise<void> {
  type Chain = { is_cycle: boolean; length: number }
  const [chain] = await query<Chain>(em, movedChainSql, [id, parent.id])
  if (chain?.is_cycle) throw parentCycle()
  if (chain && chain.length > maxChainLength) throw chainTooLong()
}

/** Two statements, because the second one must see the shares for which the first one waits. */
async function markParent(em: EntityManager, { id, is_parent }: ParentRow): Promise<void> {
  if (is_parent) return
  await query(em, lockNewParentSql, [id])
  await query(em, markParentSql, [id])
}

/** `folder/0d000000-…`, as activity entries name a parent. */
function describePlace(type: string | null, id: string | null): string {
  return type && id ? `${type}/${id}` : noParent
}

export function unknownParent(): ServiceError {
  const message = 'must be a resource of the same service and workspace'
  return invalidArgument({ field: 'parent', message })
}

export function parentCycle(): ServiceError {
  const detail = 'A resource must not be its own parent or below itself'
  return new ServiceError('already_exists', 'PARENT_CYCLE', detail)
}

function chainTooLong(): ServiceError {
  const message = `must not make a chain of more than ${maxChainLength} resources`
  return invalidArgument({ field: 'parent', message })
}
