import type { ResourcePermissionResponse } from '../../gen/daikon/v1/permissions.ts'
import type { Actor } from '../activity/actor.ts'
import { newId } from '../core/new-id.ts'
import type { Quotas } from '../core/quotas.ts'
import type { Transactional } from '../core/request-context.ts'
import { mapInTurns } from '../core/turns.ts'
import type { ErrorNaming } from './error-naming.ts'
import type { Registration } from './registration.ts'
import { type CheckStores, findParents, listChecks, requireMatches } from './registration-checks.ts'
import { toResourceResponse } from './resource.ts'
import { ConcurrentChange, retryConflicts } from './retry-conflicts.ts'
import type { PrincipalStore } from './store/principal-store.ts'
import type { NewResource } from './store/registration-store.ts'
import type { Resource } from './store/resource-sql.ts'
import type { ResourceTreeStore } from './store/resource-tree-store.ts'
import type { ShareStore } from './store/share-store.ts'

/** The stores with which resources are registered. */
export type RegistrationStores = CheckStores & { principals: PrincipalStore; shares: ShareStore }

type RegisterOptions = { naming: ErrorNaming; quotas: Quotas; actor: Actor }

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
  // A resource was registered, or a parent, owner or workspace deleted, concurrently.
  return retryConflicts(() =>
    stores.transaction(async (tx) => {
      const { found, created } = await insertMissing(tx, registrations, options)
      const resources = registrations.map(({ index }) => found.get(index) as Resource)
      return { resources: await viewAll(tx, resources), created }
    }),
  )
}

/**
 * Returns the resources by index, and the number of inserted rows. Throws a ConcurrentChange if not all rows could be
 * inserted.
 */
async function insertMissing(
  stores: RegistrationStores,
  registrations: Registration[],
  { naming, quotas, actor }: RegisterOptions,
): Promise<{ found: Map<number, Resource>; created: number }> {
  const { registrations: store, resourceTrees } = stores
  const children = registrations.filter(({ parent }) => parent)
  if (children.length > 0) {
    const workspaceIds = new Set(children.map(({ workspaceId }) => workspaceId))
    await resourceTrees.preventMoves([...workspaceIds])
  }
  const existing = await store.find(registrations)
  requireMatches(registrations, existing, naming)
  const missing = registrations.filter(({ index }) => !existing.has(index))
  if (missing.length === 0) return { found: existing, created: 0 }
  for (const check of listChecks(stores, missing, { naming, quotas })) await check()
  await store.insertKinds(missing)
  const resources = await placeInTrees(resourceTrees, missing, naming)
  const insertAll = () => store.insertAll(resources, quotas.MAX_RESOURCES_PER_WORKSPACE, actor)
  let inserted = await insertAll()
  if (inserted < missing.length && (await store.releaseKeys(missing))) inserted += await insertAll()
  if (inserted < missing.length) throw new ConcurrentChange()
  return { found: new Map([...existing, ...(await store.find(missing))]), created: inserted }
}

/** Returns new resources with IDs and parents, and marks their parents as such. */
async function placeInTrees(
  resourceTrees: ResourceTreeStore,
  missing: Registration[],
  naming: ErrorNaming,
): Promise<NewResource[]> {
  const { existing, newParentOf } = await findParents(resourceTrees, missing, naming)
  await resourceTrees.markParents([...existing.values()])
  const ids = new Map(missing.map(({ index }) => [index, newId()]))
  const newParents = new Set(missing.map(newParentOf))
  return missing.map((item) => {
    const newParent = newParentOf(item)
    return {
      ...item,
      id: ids.get(item.index) as string,
      parentId: newParent ? ids.get(newParent.index) : existing.get(item.index)?.id,
      isParent: newParents.has(item),
    }
  })
}

async function viewAll(
  { shares }: RegistrationStores,
  resources: Resource[],
): Promise<ResourcePermissionResponse[]> {
  const sharesOfEach = await shares.listAll(resources)
  return mapInTurns(resources, (resource, position) =>
    toResourceResponse(resource, sharesOfEach[position] ?? []),
  )
}
