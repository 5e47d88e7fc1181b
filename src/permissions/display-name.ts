import type {
  ResourcePermissionResponse,
  UpdateResourceRequest,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { invalidArgument } from '../core/errors.ts'
import type { WriteContext } from '../core/request-context.ts'
import { loadResourceResponse, requireManageableResource } from './resource.ts'
import { toWireKey } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'
import type { ShareStore } from './store/share-store.ts'

type ResourceStores = { activity: ActivityStore; resources: ResourceStore; shares: ShareStore }

/**
 * Sets or removes the display name of a resource. Records activity only if the name changes, and not
 * the name, which can be personal.
 */
export async function updateResource(
  { stores, principal }: WriteContext<ResourceStores>,
  request: UpdateResourceRequest,
): Promise<ResourcePermissionResponse> {
  const { display_name, remove_display_name: isRemoved = false } = request
  if (display_name !== undefined && isRemoved) {
    const message = 'must not be combined with display_name'
    throw invalidArgument({ field: 'remove_display_name', message })
  }
  const resource = await requireManageableResource(stores, principal, request)
  if (display_name === undefined && !isRemoved) return loadResourceResponse(stores, resource)
  const displayName = display_name?.trim() ?? null
  await stores.transaction(async (tx) => {
    if (!(await tx.resources.setDisplayName(resource.id, displayName))) return
    await tx.activity.record(actorOf(principal), {
      action: 'permission.renamed',
      targetId: resource.id,
      workspaceId: resource.workspaceId,
      detail: toWireKey(resource),
    })
  })
  return loadResourceResponse(stores, { ...resource, displayName })
}
