import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  ParentReference,
  ResourcePermissionResponse,
  UpdateParentRequest,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { type FieldViolation, invalidArgument, ServiceError } from '../core/errors.ts'
import type { Principal, RequestContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { query } from '../database/query.ts'
import { inTransaction } from '../database/transaction.ts'
import { grant, isAllowed } from './access.ts'
import { findIdViolation, resolveResourceId } from './evaluate/resource-id.ts'
import { maxChainLength } from './grants-query.ts'
import {
  lockNewParentsSql,
  lockTreesSql,
  markParentsSql,
  movedChainSql,
  parentsSql,
  placeSql,
  updateParentSql,
} from './parent-queries.ts'
import type { Resource } from './queries.ts'
import {
  findUserGrants,
  type ResourceKey,
  requireManageableResource,
  requireResource,
  resourceNotFound,
  viewResource,
} from './resource.ts'

/** Represents the absence of a parent in activity entries. */
const noParent = 'none'

/** A resource that is or will become a parent. */
export type ParentRow = {
  index: number
  id: string
  resource_id: string
  resource_type: string
  is_parent: boolean
  /** The number of resources from the root to this one, including both. */
  length: number
}

/** The position of a resource in its tree. */
type Place = {
  parent_id: string | null
  inherits: boolean
  parent_type: string | null
  parent_resource_id: string | null
}

/**
 * Moves a resource with everything below it, or changes whether it inherits. Records activity only
 * if something changes.
 *
 * @throws ServiceError `invalid_argument` for an unknown parent or a chain that would be too long,
 * `already_exists` if the parent is the resource itself or below it, `permission_denied` if the
 * call carries a user's token and the user may not manage the resource or edit the parent
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
  const isNewParent = parent !== undefined && parent.id !== before.parent_id
  if (isNewParent) await requireEditableParent(em, principal, parent)

  const parentId = request.detach ? null : (parent?.id ?? before.parent_id)
  const inherits = request.inherits ?? before.inherits
  if (parentId === before.parent_id && inherits === before.inherits) return
  if (isNewParent) {
    await requireValidMove(em, resource, parent)
    await markParents(em, [parent])
  }
  try {
    const updated = await query(em, updateParentSql, [resource.id, parentId, inherits])
    // The resource has been unregistered concurrently.
    if (updated.length === 0) throw resourceNotFound()
  } catch (error) {
    // The parent has been unregistered concurrently.
    if (violates(error, 'foreign')) throw invalidArgument(unknownParent('parent'))
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

/** Requires that the user may edit the parent. Does nothing if the call has no user. */
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

async function requireParent(
  em: EntityManager,
  { service_name, workspace_id }: Resource,
  reference: ParentReference,
): Promise<ParentRow> {
  const key = readParent(service_name, reference)
  const [parent] = await findParents(em, [{ ...key, workspace_id, index: 0 }])
  if (!parent) throw invalidArgument(unknownParent('parent'))
  return parent
}

/**
 * Returns the key of the parent in a request.
 *
 * @throws ServiceError `invalid_argument` if the IDs are invalid or inconsistent
 */
function readParent(service_name: string, reference: ParentReference): ResourceKey {
  const kind = { service_name, resource_type: reference.resource_type }
  const violation = findIdViolation(kind, reference)
  if (violation) throw invalidArgument({ ...violation, field: `parent.${violation.field}` })
  return { ...kind, resource_id: resolveResourceId(kind, reference) }
}

/** Finds resources by key and workspace, for use as parents. */
export async function findParents(
  em: EntityManager,
  keys: (ResourceKey & { workspace_id: string; index: number })[],
): Promise<ParentRow[]> {
  return query<ParentRow>(em, parentsSql, [JSON.stringify(keys)])
}

async function requireValidMove(
  em: EntityManager,
  { id }: Resource,
  parent: ParentRow,
): Promise<void> {
  type Chain = { is_cycle: boolean; length: number }
  const [chain] = await query<Chain>(em, movedChainSql, [id, parent.id])
  if (chain?.is_cycle) throw parentCycle()
  if (chain && chain.length > maxChainLength) throw invalidArgument(chainTooLong('parent'))
}

/**
 * Marks resources as parents. Takes the locks in a separate statement, so that the update sees the
 * shares whose transactions the locks had to wait for.
 */
export async function markParents(em: EntityManager, parents: ParentRow[]): Promise<void> {
  const ids = parents.filter(({ is_parent }) => !is_parent).map(({ id }) => id)
  if (ids.length === 0) return
  await query(em, lockNewParentsSql, [ids])
  await query(em, markParentsSql, [ids])
}

/** Formats a parent for activity entries, as in `folder/0d000000-…`. */
function describePlace(type: string | null, id: string | null): string {
  return type && id ? `${type}/${id}` : noParent
}

export function unknownParent(field: string): FieldViolation {
  return { field, message: 'must be a resource of the same service and workspace' }
}

export function chainTooLong(field: string): FieldViolation {
  return { field, message: `must not make a chain of more than ${maxChainLength} resources` }
}

/** Returns the error for a cycle. `format` can add the fields of the cycle to the message. */
export function parentCycle(format = (message: string) => message): ServiceError {
  const detail = format('A resource must not be its own parent or below itself')
  return new ServiceError('already_exists', 'PARENT_CYCLE', detail)
}
