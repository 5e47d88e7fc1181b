import type {
  ResourcePermissionResponse,
  UpdateVisibilityRequest,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import type { RequestContext } from '../core/request-context.ts'
import { Resource as ResourceEntity, type Visibility } from '../database/entities/resources.ts'
import { inTransaction } from '../database/transaction.ts'
import { requireManageableResource, viewResource } from './resource.ts'

/** Sets the visibility of a resource. Records activity only if the visibility changes. */
export async function updateVisibility(
  { em, principal }: RequestContext,
  request: UpdateVisibilityRequest,
): Promise<ResourcePermissionResponse> {
  const resource = await requireManageableResource(em, principal, request)
  const { id, service_name, resource_type, resource_id, visibility: from } = resource
  const to = request.visibility as Visibility
  await inTransaction(em, async (em) => {
    // With this condition, only one of two concurrent changes to the same value is recorded.
    const where = { id, visibility: { $ne: to } }
    if (await em.nativeUpdate(ResourceEntity, where, { visibility: to })) {
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
