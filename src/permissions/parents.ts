import type {
  ParentReference,
  ResourcePermissionResponse,
  UpdateParentRequest,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { type FieldViolation, invalidArgument, ServiceError } from '../core/errors.ts'
import type { Principal, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { maxChainLength } from './engine/chain.ts'
import { reasons } from './reasons.ts'
import { loadResourceResponse, requireManageableResource, resourceNotFound } from './resource.ts'
import { findIdViolation, resolveResourceId } from './resource-id.ts'
import { findRight, requireCovered, requirementNotMet } from './rights.ts'
import { type Resource, type ResourceKey, toWireKey } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'
import type { Parent, ResourceTreeStore } from './store/resource-tree-store.ts'
import type { ShareStore } from './store/share-store.ts'

type ParentStores = {
  activity: ActivityStore
  resources: ResourceStore
  resourceTrees: ResourceTreeStore
  shares: ShareStore
}

/** Represents the absence of a parent in activity entries. */
const noParent = 'none'

/**
 * Moves a resource with everything below it, or changes whether it inherits. Records activity only
 * if something changes.
 *
 * @throws ServiceError `invalid_argument` for an unknown parent or a chain that would be too long,
 * `already_exists` if the parent is the resource itself or below it, `permission_denied` if the
 * call carries a user's token and the user may not manage the resource or edit the parent
 */
export async function updateParent(
  { stores, principal }: WriteContext<ParentStores>,
  request: UpdateParentRequest,
): Promise<ResourcePermissionResponse> {
  if (request.parent && request.detach)
    throw invalidArgument({ field: 'detach', message: 'must not be combined with parent' })
  const resource = await requireManageableResource(stores, principal, request)
  await stores.transaction((tx) => changePlace(tx, principal, resource, request))
  const current = await stores.resources.find(resource.id)
  if (!current) throw resourceNotFound()
  return loadResourceResponse(stores, current)
}

async function changePlace(
  { activity, resources, resourceTrees }: ParentStores,
  principal: Principal,
  resource: Resource,
  request: UpdateParentRequest,
): Promise<void> {
  const { id, workspaceId } = resource
  await resourceTrees.lock(workspaceId)
  const before = await resourceTrees.findPlace(id)
  if (!before) throw resourceNotFound()
  const parent = request.parent && (await requireParent(resourceTrees, resource, request.parent))
  const isNewParent = parent !== undefined && parent.id !== before.parentId
  if (isNewParent)
    await requireEditableParent(resources, principal, { ...parent, workspaceId }, request)

  const parentId = request.detach ? null : (parent?.id ?? before.parentId)
  const inherits = request.inherits ?? before.inherits
  if (parentId === before.parentId && inherits === before.inherits) return
  if (isNewParent) {
    await requireValidMove(resourceTrees, resource, parent)
    await resourceTrees.markParents([parent])
  }
  try {
    const exists = await resourceTrees.setParent(id, parentId, inherits)
    // The resource has been unregistered concurrently.
    if (!exists) throw resourceNotFound()
  } catch (error) {
    // The parent has been unregistered concurrently.
    if (violates(error, 'foreign')) throw invalidArgument(unknownParent('parent'))
    throw error
  }
  const from = describePlace(before.parentType, before.parentResourceId)
  const moved = parent ? describePlace(parent.resourceType, parent.resourceId) : from
  await activity.record(actorOf(principal), {
    action: 'permission.parent_changed',
    targetId: id,
    workspaceId,
    detail: {
      ...toWireKey(resource),
      from,
      to: parentId === null ? noParent : moved,
      inherits: String(inherits),
    },
  })
}

/**
 * Requires that the user may edit the parent, and that the delegation by which an agent acts covers that.
 * Does nothing if the call has no user.
 */
async function requireEditableParent(
  resources: ResourceStore,
  { user }: Principal,
  parent: Parent & Pick<Resource, 'workspaceId'>,
  { context }: UpdateParentRequest,
): Promise<void> {
  if (!user) return
  const right = await findRight(resources, user, parent, 'edit', context)
  if (!right.isAllowed)
    throw requirementNotMet(right, 'edit') ?? new ServiceError(reasons.PARENT_NOT_EDITABLE)
  await requireCovered(resources, user, parent, 'edit')
}

async function requireParent(
  resourceTrees: ResourceTreeStore,
  { serviceName, workspaceId }: Resource,
  reference: ParentReference,
): Promise<Parent> {
  const key = readParent(serviceName, reference)
  const [parent] = await resourceTrees.findParents([{ ...key, workspaceId, index: 0 }])
  if (!parent) throw invalidArgument(unknownParent('parent'))
  return parent
}

/**
 * Returns the key of the parent in a request.
 *
 * @throws ServiceError `invalid_argument` if the IDs are invalid or inconsistent
 */
function readParent(serviceName: string, reference: ParentReference): ResourceKey {
  const kind = { serviceName, resourceType: reference.resource_type }
  const violation = findIdViolation(kind, reference)
  if (violation) throw invalidArgument({ ...violation, field: `parent.${violation.field}` })
  return { ...kind, resourceId: resolveResourceId(kind, reference) }
}

async function requireValidMove(
  resourceTrees: ResourceTreeStore,
  { id }: Resource,
  parent: Parent,
): Promise<void> {
  const chain = await resourceTrees.findMovedChain(id, parent.id)
  if (chain?.isCycle) throw parentCycle()
  if (chain && chain.length > maxChainLength) throw invalidArgument(chainTooLong('parent'))
}

/** Formats a parent for activity entries, as in `folder/0d000000-…`. */
export function describePlace(
  type: string | null | undefined,
  id: string | null | undefined,
): string {
  return type && id ? `${type}/${id}` : noParent
}

export function unknownParent(field: string): FieldViolation {
  return { field, message: 'must be a resource of the same service and workspace' }
}

export function chainTooLong(field: string): FieldViolation {
  return { field, message: `must not be nested more than ${maxChainLength} levels deep` }
}

/** Returns the error for a cycle. `format` can add the fields of the cycle to the message. */
export function parentCycle(format = (message: string) => message): ServiceError {
  const detail = format('A resource cannot be its own ancestor')
  return new ServiceError(reasons.PARENT_CYCLE, detail)
}
