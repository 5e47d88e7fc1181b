import type {
  ResourcePermissionResponse,
  UpdateAttributesRequest,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf } from '../activity/actor.ts'
import { listItems } from '../activity/list-change.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { invalidArgument } from '../core/errors.ts'
import { mergeObject } from '../core/merge-patch.ts'
import type { WriteContext } from '../core/request-context.ts'
import { findAttributesViolation, storedAttributes } from './attribute-values.ts'
import { loadResourceResponse, requireManageableResource, resourceNotFound } from './resource.ts'
import { type Attributes, toWireKey } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'
import type { ShareStore } from './store/share-store.ts'

type AttributeStores = { activity: ActivityStore; resources: ResourceStore; shares: ShareStore }

/**
 * Applies a merge patch to the attributes of a resource. Records activity only if a member changes,
 * and not the values, which can be personal.
 */
export async function updateAttributes(
  { stores, principal }: WriteContext<AttributeStores>,
  request: UpdateAttributesRequest,
): Promise<ResourcePermissionResponse> {
  const resource = await requireManageableResource(stores, principal, request)
  const { id, workspaceId } = resource
  const attributes = await stores.transaction(async (tx) => {
    const before = await tx.resources.lockAttributes(id)
    if (!before) throw resourceNotFound()
    const after = mergeObject(before, request.attributes ?? {})
    const message = findAttributesViolation(after)
    if (message) throw invalidArgument({ field: 'attributes', message })
    const changed = findChangedMembers(before, after)
    if (changed.length === 0) return before
    await tx.resources.setAttributes(id, storedAttributes(after))
    await tx.activity.record(actorOf(principal), {
      action: 'permission.attributes_changed',
      targetId: id,
      workspaceId,
      detail: { ...toWireKey(resource), changed: listItems(changed, ', ') },
    })
    return after
  })
  return loadResourceResponse(stores, { ...resource, attributes })
}

/** Returns the names of the members that differ, sorted. */
function findChangedMembers(before: Attributes, after: Attributes): string[] {
  const textsOf = (attributes: Attributes) =>
    new Map(Object.entries(attributes).map(([name, value]) => [name, JSON.stringify(value)]))
  const [old, current] = [textsOf(before), textsOf(after)]
  const names = new Set([...old.keys(), ...current.keys()])
  return [...names].filter((name) => old.get(name) !== current.get(name)).toSorted()
}
