import type {
  ResourcePermissionResponse,
  UpdateVisibilityRequest,
} from '../../gen/daikon/v1/permissions.ts'
import { record } from '../activity/record.ts'
import { actorOf, type Context } from '../rpc/call.ts'
import { Resource as ResourceRow, type Visibility } from '../storage/entities/resources.ts'
import { inTransaction } from '../storage/transaction.ts'
import { requireResource, viewResource } from './resource.ts'

/** Opens a resource to its workspace or closes it; what changes nothing is no occurrence. */
export async function updateVisibility(
  { em, caller }: Context,
  request: UpdateVisibilityRequest,
): Promise<ResourcePermissionResponse> {
  const resource = await requireResource(em, caller, request.permission_id)
  const { id, service_name, resource_type, resource_id, visibility: from } = resource
  const to = request.visibility as Visibility
  await inTransaction(em, async (em) => {
    // The condition makes one of two racing changes the one that is recorded.
    const where = { id, visibility: { $ne: to } }
    if (await em.nativeUpdate(ResourceRow, where, { visibility: to })) {
      await record(em, actorOf(caller), {
        action: 'permission.visibility_changed',
        targetId: id,
        workspaceId: resource.workspace_id,
        detail: { service_name, resource_type, resource_id, from, to },
      })
    }
  })
  return viewResource(em, { ...resource, visibility: to })
}
