import type { UnregisterRequest, UnregisterResponse } from '../../gen/daikon/v1/permissions.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { WriteContext } from '../core/request-context.ts'
import { describePlace } from './parents.ts'
import { requireManageableResource, resourceNotFound } from './resource.ts'
import { toWireKey } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'
import {
  type DeletedTree,
  maxDeletedAtOnce,
  type ResourceTreeStore,
} from './store/resource-tree-store.ts'

type UnregisterStores = {
  activity: ActivityStore
  resources: ResourceStore
  resourceTrees: ResourceTreeStore
}

/**
 * Deletes a resource and its shares. With `cascade`, also deletes everything below the resource;
 * otherwise, its children become roots.
 */
export async function unregister(
  { stores, principal }: WriteContext<UnregisterStores>,
  request: UnregisterRequest,
): Promise<UnregisterResponse> {
  const resource = await requireManageableResource(stores, principal, request)
  const { id, workspaceId } = resource
  await stores.transaction(async (tx) => {
    if (!request.cascade) {
      const deleted = await tx.resourceTrees.delete(id)
      // Nothing is recorded if a concurrent call has unregistered the resource.
      if (!deleted) return
      await tx.activity.record(actorOf(principal), {
        action: 'permission.unregistered',
        targetId: id,
        workspaceId,
        detail: {
          ...toWireKey(resource),
          owner_id: deleted.ownerId,
          visibility: deleted.visibility,
          parent: describePlace(resource.parent?.resource_type, resource.parent?.resource_id),
          shares: String(deleted.shares),
        },
      })
      return
    }
    const deleted = await tx.resourceTrees.deleteTree(id, workspaceId)
    if (deleted.resources === 0) throw resourceNotFound()
    await tx.activity.record(actorOf(principal), {
      action: 'permission.tree_unregistered',
      targetId: id,
      workspaceId,
      detail: {
        ...toWireKey(resource),
        ...describe(deleted),
      },
    })
  })
  return {}
}

/** The details of the event. A large tree is not counted, because that could take seconds. */
function describe({ resources, shares, isLarge }: DeletedTree) {
  if (isLarge) return { descendants: `at least ${maxDeletedAtOnce}`, shares: 'not counted' }
  return { descendants: String(resources - 1), shares: String(shares) }
}
