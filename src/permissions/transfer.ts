import type {
  ResourcePermissionResponse,
  TransferOwnershipRequest,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { invalidArgument } from '../core/errors.ts'
import type { RequestContext } from '../core/request-context.ts'
import { Member } from '../database/entities/people.ts'
import { query } from '../database/query.ts'
import { inTransaction } from '../database/transaction.ts'
import { changeOwnerSql } from './queries.ts'
import { requireManageableResource, requireResource, viewResource } from './resource.ts'

/**
 * Makes a member of the workspace the owner of a resource. Records activity only if the owner
 * changes.
 */
export async function transferOwnership(
  { em, principal }: RequestContext,
  request: TransferOwnershipRequest,
): Promise<ResourcePermissionResponse> {
  const resource = await requireManageableResource(em, principal, request)
  const { id, workspace_id, service_name, resource_type, resource_id } = resource
  const to = request.owner_id.toLowerCase()
  await inTransaction(em, async (em) => {
    const [changed] = await query<{ from: string }>(em, changeOwnerSql, [id, to])
    if (!changed) {
      if (await em.count(Member, { workspace_id, user_id: to })) return
      throw invalidArgument({ field: 'owner_id', message: 'must be a member of the workspace' })
    }
    await recordActivity(em, actorOf(principal), {
      action: 'permission.owner_changed',
      targetId: id,
      workspaceId: workspace_id,
      detail: { service_name, resource_type, resource_id, from: changed.from, to },
    })
  })
  return viewResource(
    em,
    await requireResource(em, { service: { name: undefined } }, { permission_id: id }),
  )
}
