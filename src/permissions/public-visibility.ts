import { type FieldViolation, invalidArgument } from '../core/errors.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import type { Kind } from './engine/question.ts'
import type { ResourceTypeStore } from './store/resource-type-store.ts'

/** The migration that lets resources be public. */
const publicMigration = 34

/**
 * Requires that resources of the kinds may be public, until the end of the transaction. `fieldOf`
 * returns the name of the field that makes a resource of a kind public.
 *
 * @throws ServiceError `invalid_argument` unless the types allow it, `already_exists` while an older
 * node is connected
 */
export async function requirePublicAllowed<Item extends Kind>(
  { resourceTypes, rollout }: { resourceTypes: ResourceTypeStore; rollout: RolloutStore },
  items: Item[],
  fieldOf: (item: Item) => string,
): Promise<void> {
  if (items.length === 0) return
  const allowed = await resourceTypes.lockPublic(items)
  const keyOf = ({ serviceName, resourceType }: Kind) => `${serviceName}\n${resourceType}`
  const allowedKeys = new Set(allowed.map(keyOf))
  const violations: FieldViolation[] = items
    .filter((item) => !allowedKeys.has(keyOf(item)))
    .map((item) => ({
      field: fieldOf(item),
      message: `must not be public: the declaration of ${item.resourceType} does not allow it`,
    }))
  if (violations.length > 0) throw invalidArgument(...violations)
  await rollout.requireAllNodesKnow(publicMigration, 'A public resource')
}
