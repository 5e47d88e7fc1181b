import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { Quotas } from '../core/quotas.ts'
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
import { matchesRegistration } from './resource.ts'
import type { RegistrationStore } from './store/registration-store.ts'
import type { Resource } from './store/resource-sql.ts'
import type { Parent, ResourceTreeStore } from './store/resource-tree-store.ts'
import type { ResourceTypeStore } from './store/resource-type-store.ts'

/** The stores with which registrations are checked. */
export type CheckStores = {
  registrations: RegistrationStore
  resourceTypes: ResourceTypeStore
  rollout: RolloutStore
  resourceTrees: ResourceTreeStore
  workspaces: WorkspaceStore
}

type CheckOptions = { naming: ErrorNaming; quotas: Quotas }

/** The codes of errors about registrations, as opposed to the state of the server. */
const refusals = ['invalid_argument', 'not_found', 'already_exists', 'resource_exhausted']

/**
 * Returns the errors for which `registerAll` would refuse registrations, and the number of those that
 * exist already. Changes nothing.
 */
export async function findRegistrationErrors(
  stores: CheckStores,
  registrations: Registration[],
  options: CheckOptions,
): Promise<{ existing: number; errors: ServiceError[] }> {
  const existing = await stores.registrations.find(registrations)
  const missing = registrations.filter(({ index }) => !existing.has(index))
  const errors: ServiceError[] = []
  for (const check of [
    () => requireMatches(registrations, existing, options.naming),
    ...listChecks(stores, missing, options),
    () => findParents(stores.resourceTrees, missing, options.naming),
  ]) {
    try {
      await check()
    } catch (error) {
      if (!(error instanceof ServiceError) || !refusals.includes(error.code)) throw error
      errors.push(error)
    }
  }
  return { existing: existing.size, errors }
}

/** Returns the checks that new resources must pass, except for those of their parents. */
export function listChecks(
  stores: CheckStores,
  missing: Registration[],
  { naming, quotas }: CheckOptions,
): (() => Promise<void>)[] {
  const byWorkspace = Map.groupBy(missing, ({ workspaceId }) => workspaceId)
  return [
    () => requireFreeTypes(stores, missing, ({ index }) => naming.field(index, 'resource_type')),
    () => requireOwners(stores.registrations, missing, naming),
    () =>
      requirePublicAllowed(
        stores,
        missing.filter(({ visibility }) => visibility === 'public'),
        ({ index }) => naming.field(index, 'visibility'),
      ),
    ...[...byWorkspace].toSorted().map(
      ([workspaceId, added]) =>
        () =>
          requireResourceQuota(stores.workspaces, quotas, workspaceId, added.length),
    ),
  ]
}

/** Requires that resources that exist have the workspace and owner of their registrations. */
export function requireMatches(
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

/** The parents of new resources: those that exist, by the index of the child, and new ones. */
type Parents = {
  existing: Map<number, Parent>
  newParentOf(item: Registration): Registration | undefined
}

/**
 * Finds the parents of new resources, both among the new resources and in the database.
 *
 * @throws ServiceError `invalid_argument` for unknown parents and chains that would be too long
 */
export async function findParents(
  resourceTrees: ResourceTreeStore,
  missing: Registration[],
  { field }: ErrorNaming,
): Promise<Parents> {
  const indexes = indexByKey(missing)
  const itemsByIndex = new Map(missing.map((item) => [item.index, item]))
  const newParentOf = ({ parent }: Registration): Registration | undefined =>
    parent && itemsByIndex.get(indexes.get(keyOf(parent)) ?? -1)
  const keys = missing.flatMap((item) => {
    const { parent, workspaceId, index } = item
    return parent && !newParentOf(item) ? [{ ...parent, workspaceId, index }] : []
  })
  const rows = keys.length > 0 ? await resourceTrees.findParents(keys) : []
  const existing = new Map(rows.map((row) => [row.index, row]))

  const unknown = missing.filter((item) => {
    const newParent = newParentOf(item)
    if (newParent) return newParent.workspaceId !== item.workspaceId
    return item.parent && !existing.has(item.index)
  })
  if (unknown.length > 0)
    throw invalidArgument(...unknown.map(({ index }) => unknownParent(field(index, 'parent'))))

  const lengths = new Map<Registration, number>()
  const lengthOf = (item: Registration): number => {
    const known = lengths.get(item)
    if (known !== undefined) return known
    const parent = newParentOf(item)
    const above = parent ? lengthOf(parent) : (existing.get(item.index)?.length ?? 0)
    lengths.set(item, above + 1)
    return above + 1
  }
  const tooLong = missing.filter((item) => lengthOf(item) > maxChainLength)
  if (tooLong.length > 0)
    throw invalidArgument(...tooLong.map(({ index }) => chainTooLong(field(index, 'parent'))))
  return { existing, newParentOf }
}
