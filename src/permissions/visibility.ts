import type {
  ResourcePermissionResponse,
  UpdateVisibilityRequest,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import type { RequestContext } from '../core/request-context.ts'
import { Resource as ResourceRow, type Visibility } from '../database/entities/resources.ts'
import { inTransaction } from '../database/transaction.ts'
import { requireResource, viewResource } from './resource.ts'

/** Opens a resource to its workspace or closes it; what changes nothing is no occurrence. */
export async function updateVisibility(
  { em, principal }: RequestContext,
  request: UpdateVisibilityRequest,
): Promise<ResourcePermissionResponse> {
  const resource = await requireResource(em, principal, request.permission_id)
  const { id, service_name, resource_type, resource_id, visibility: from } = resource
  const to = request.visibility as Visibility
  await inTransaction(em, async (em) => {
    // The condition makes one of two racing changes the one that is recorded.
    const where = { id, visibility: { $ne: to } }
    if (await em.nativeUpdate(ResourceRow, where, { visibility: to })) {
      await recordActivity(em, actorOf(principal), {
        action: 'permission.visibility_changed',
        targetId: id,
        workspaceId: resource.workspace_id,
        detail: { service_name, resource_type, resource_id, from, to },
      })
    }
  })
  return viewResource(em, { ...resource, visibility: to })
}
