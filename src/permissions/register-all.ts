import { v7 as uuid } from 'uuid'
import type { ResourcePermissionResponse } from '../../gen/daikon/v1/permissions.ts'
import type { Actor } from '../activity/actor.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { Quotas } from '../core/quotas.ts'
import type { Transactional } from '../core/request-context.ts'
import { lockTimedOut, violates } from '../database/database-errors.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { requireResourceQuota } from '../workspaces/quotas.ts'
import type { WorkspaceStore } from '../workspaces/store/workspace-store.ts'
import { workspaceNotFound } from '../workspaces/workspaces.ts'
import { maxChainLength } from './engine/chain.ts'
import type { ErrorNaming } from './error-naming.ts'
import { chainTooLong, unknownParent } from './parents.ts'
import { requirePublicAllowed } from './public-visibility.ts'
import { reasons } from './reasons.ts'
import { indexByKey, keyOf, type Registration } from './registration.ts'
import { requireFreeTypes } from './reserved-type.ts'
import { matchesRegistration, viewWithShares } from './resource.ts'
import type { PrincipalStore } from './store/principal-store.ts'
import type { NewResource, RegistrationStore } from './store/registration-store.ts'
import { namesOf, type Resource } from './store/resource-sql.ts'
import type { ResourceTreeStore } from './store/resource-tree-store.ts'
import type { ResourceTypeStore } from './store/resource-type-store.ts'
import type { ShareStore } from './store/share-store.ts'

/** The stores with which resources are registered. */
export type RegistrationStores = {
  principals: PrincipalStore
  registrations: RegistrationStore
  resourceTypes: ResourceTypeStore
  rollout: RolloutStore
  resourceTrees: ResourceTreeStore
  shares: ShareStore
  workspaces: WorkspaceStore
}

type RegisterOptions = { naming: ErrorNaming; quotas: Quotas; actor: Actor }

const maxAttempts = 3

/** The resources of a call, and the number of them that it created. */
type Registered = { resources: ResourcePermissionResponse[]; created: number }

/**
 * Registers all resources in one transaction, or none, and returns them in the same order.
 * Resources that are already registered are returned unchanged.
 *
 * @throws ServiceError `not_found` for an unknown workspace, `invalid_argument` for an owner who is
 * not a member, a visibility that the type does not allow, an unknown parent or a chain that would be too long, `already_exists` for a
 * resource that is registered with another workspace or owner, `resource_exhausted` if a workspace
 * would exceed its quota
 */
export async function registerAll(
  stores: Transactional<RegistrationStores>,
  registrations: Registration[],
  options: RegisterOptions,
): Promise<Registered> {
  for (let attempt = 1; ; attempt += 1) {
    const conflict = lockTimedOut()
    try {
      return await stores.transaction(async (tx) => {
        const created = await insertMissing(tx, registrations, options, conflict)
        return { resources: await viewAll(tx, registrations), created }
      })
    } catch (error) {
      // Retry: a resource was registered, or a parent, owner or workspace deleted, concurrently.
      const isConflict = error === conflict || violates(error, 'foreign')
      if (!isConflict) throw error
      if (attempt === maxAttempts) throw conflict
    }
  }
}

/** Returns the number of inserted rows. Throws `conflict` if not all rows could be inserted. */
async function insertMissing(
  stores: RegistrationStores,
  registrations: Registration[],
  { naming, quotas, actor }: RegisterOptions,
  conflict: ServiceError,
): Promise<number> {
  const { registrations: store, resourceTrees, workspaces } = stores
  const children = registrations.filter(({ parent }) => parent)
  if (children.length > 0) {
    const workspaceIds = new Set(children.map(({ workspaceId }) => workspaceId))
    await resourceTrees.preventMoves([...workspaceIds])
  }
  const existing = await store.find(registrations)
  requireMatches(registrations, existing, naming)
  const missing = registrations.filter(({ index }) => !existing.has(index))
  if (missing.length === 0) return 0
  await requireFreeTypes(
    stores,
    missing.map((item) => ({ ...namesOf(item), index: item.index })),
    ({ index }) => naming.field(index, 'resource_type'),
  )
  await requireOwners(store, missing, naming)
  const opened = missing.filter(({ visibility }) => visibility === 'public')
  await requirePublicAllowed(
    stores,
    opened.map((item) => ({ ...namesOf(item), index: item.index })),
    ({ index }) => naming.field(index, 'visibility'),
  )
  const byWorkspace = Map.groupBy(missing, ({ workspaceId }) => workspaceId)
  for (const [workspaceId, added] of [...byWorkspace].toSorted())
    await requireResourceQuota(workspaces, quotas, workspaceId, added.length)
  await store.insertKinds(missing.map(namesOf))
  const resources = await placeInTrees(resourceTrees, missing, naming)
  const insertAll = () => store.insertAll(resources, quotas.MAX_RESOURCES_PER_WORKSPACE, actor)
  let inserted = await insertAll()
  if (inserted < missing.length && (await store.releaseKeys(missing))) inserted += await insertAll()
  if (inserted < missing.length) throw conflict
  return inserted
}

function requireMatches(
  registrations: Registration[],
  existing: Map<number, Resource>,
  naming: ErrorNaming,
): void {
  const fields = registrations
    .filter((registration) => {
      const resource = existing.get(registration.index)
      return resource && !matchesRegistration(resource, registration)
    })
    .map(({ index }) => naming.field(index, ''))
  if (fields.length === 0) return
  const message = 'The resource is registered with another workspace or owner'
  throw new ServiceError(reasons.RESOURCE_REGISTERED, naming.detail(fields, message))
}

async function requireOwners(
  store: RegistrationStore,
  registrations: Registration[],
  { field, detail }: ErrorNaming,
): Promise<void> {
  const missing = await store.findMissingOwners(registrations)
  if (missing.length === 0) return
  const unknown = missing.filter(({ workspaceExists }) => !workspaceExists)
  if (unknown.length > 0) {
    const error = workspaceNotFound()
    const fields = unknown.map(({ index }) => field(index, 'workspace_id'))
    throw error.reword(detail(fields, error.message))
  }
  const fieldsByIndex = new Map(registrations.map(({ index, ownerField }) => [index, ownerField]))
  throw invalidArgument(
    ...missing.map(({ index }) => ({
      field: field(index, fieldsByIndex.get(index) ?? ''),
      message: 'must be a member of the workspace',
    })),
  )
}

/**
 * Finds the parents of new resources, both among the new resources and in the database, and marks
 * them as parents.
 */
async function placeInTrees(
  resourceTrees: ResourceTreeStore,
  missing: Registration[],
  { field }: ErrorNaming,
): Promise<NewResource[]> {
  const ids = new Map(missing.map(({ index }) => [index, uuid()]))
  const indexes = indexByKey(missing)
  const itemsByIndex = new Map(missing.map((item) => [item.index, item]))

  /** Returns the parent of a registration if the parent is also new. */
  const newParentOf = ({ parent }: Registration): Registration | undefined =>
    parent && itemsByIndex.get(indexes.get(keyOf(parent)) ?? -1)
  const keys = missing.flatMap((item) => {
    const { parent, workspaceId, index } = item
    return parent && !newParentOf(item) ? [{ ...parent, workspaceId, index }] : []
  })
  const rows = keys.length > 0 ? await resourceTrees.findParents(keys) : []
  const existingParents = new Map(rows.map((row) => [row.index, row]))

  const unknown = missing.filter((item) => {
    const newParent = newParentOf(item)
    if (newParent) return newParent.workspaceId !== item.workspaceId
    return item.parent && !existingParents.has(item.index)
  })
  if (unknown.length > 0)
    throw invalidArgument(...unknown.map(({ index }) => unknownParent(field(index, 'parent'))))

  const lengths = new Map<Registration, number>()
  const lengthOf = (item: Registration): number => {
    const known = lengths.get(item)
    if (known !== undefined) return known
    const parent = newParentOf(item)
    const above = parent ? lengthOf(parent) : (existingParents.get(item.index)?.length ?? 0)
    lengths.set(item, above + 1)
    return above + 1
  }
  const tooLong = missing.filter((item) => lengthOf(item) > maxChainLength)
  if (tooLong.length > 0)
    throw invalidArgument(...tooLong.map(({ index }) => chainTooLong(field(index, 'parent'))))

  await resourceTrees.markParents(rows)
  const newParents = new Set(missing.map(newParentOf))
  return missing.map((item) => {
    const newParent = newParentOf(item)
    return {
      ...item,
      id: ids.get(item.index) as string,
      parentId: newParent ? ids.get(newParent.index) : existingParents.get(item.index)?.id,
      isParent: newParents.has(item),
    }
  })
}

async function viewAll(
  { registrations: store, shares }: RegistrationStores,
  registrations: Registration[],
): Promise<ResourcePermissionResponse[]> {
  const registered = await store.find(registrations)
  const resources = registrations.map(({ index }) => registered.get(index) as Resource)
  const sharesOfEach = await shares.listAll(resources)
  return resources.map((resource, position) =>
    viewWithShares(resource, sharesOfEach[position] ?? []),
  )
}
