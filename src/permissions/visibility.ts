import type {
  ResourcePermissionResponse,
  UpdateVisibilityRequest,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { WriteContext } from '../core/request-context.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { requirePublicAllowed } from './public-visibility.ts'
import { loadResourceResponse, requireManageableResource } from './resource.ts'
import { type Resource, toWireKey } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'
import type { ResourceTypeStore } from './store/resource-type-store.ts'
import type { ShareStore } from './store/share-store.ts'

type VisibilityStores = {
  activity: ActivityStore
  resources: ResourceStore
  resourceTypes: ResourceTypeStore
  rollout: RolloutStore
  shares: ShareStore
}

/** Sets the visibility of a resource. Records activity only if the visibility changes. */
export async function updateVisibility(
  { stores, principal }: WriteContext<VisibilityStores>,
  request: UpdateVisibilityRequest,
): Promise<ResourcePermissionResponse> {
  const resource = await requireManageableResource(stores, principal, request)
  const { id, workspaceId, visibility: from } = resource
  const to = request.visibility as Resource['visibility']
  await stores.transaction(async (tx) => {
    if (to === 'public') await requirePublicAllowed(tx, [resource], () => 'visibility')
    if (!(await tx.resources.setVisibility(id, to))) return
    await tx.activity.record(actorOf(principal), {
      action: 'permission.visibility_changed',
      targetId: id,
      workspaceId,
      detail: {
        ...toWireKey(resource),
        from,
        to,
      },
    })
  })
  return loadResourceResponse(stores, { ...resource, visibility: to })
}
