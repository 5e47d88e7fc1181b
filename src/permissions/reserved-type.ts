import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import type { Kind } from './engine/question.ts'
import { workspaceType } from './engine/workspace-type.ts'
import type { ResourceTypeStore } from './store/resource-type-store.ts'

/**
 * Requires that no kind has the type `workspace`, which names workspaces themselves. A service that
 * had resources of this type before it was reserved keeps it until it has none.
 *
 * @throws ServiceError `invalid_argument` with the fields that `fieldOf` returns
 */
export async function requireFreeTypes<Item extends Kind>(
  stores: { resourceTypes: ResourceTypeStore },
  items: Item[],
  fieldOf: (item: Item) => string,
): Promise<void> {
  const violations = await findReservedTypes(stores, items, fieldOf)
  if (violations.length > 0) throw invalidArgument(...violations)
}

/** Returns a violation for each kind that `requireFreeTypes` refuses. */
export async function findReservedTypes<Item extends Kind>(
  { resourceTypes }: { resourceTypes: ResourceTypeStore },
  items: Item[],
  fieldOf: (item: Item) => string,
): Promise<FieldViolation[]> {
  const reserved = items.filter(({ resourceType }) => resourceType === workspaceType)
  if (reserved.length === 0) return []
  const services = new Set(reserved.map(({ serviceName }) => serviceName))
  const owners = await resourceTypes.listServicesOf(workspaceType, [...services])
  const message = 'must not be workspace, which names the workspaces of daikon'
  return reserved
    .filter(({ serviceName }) => !owners.includes(serviceName))
    .map((item) => ({ field: fieldOf(item), message }))
}
