import type {
  ResourcePermissionResponse,
  TransferOwnershipRequest,
} from '../../gen/daikon/v1/permissions.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { invalidArgument } from '../core/errors.ts'
import type { WriteContext } from '../core/request-context.ts'
import type { MemberStore } from '../workspaces/store/member-store.ts'
import {
  loadResourceResponse,
  requireOwnership,
  requireResource,
  resourceNotFound,
} from './resource.ts'
import { toWireKey } from './store/resource-sql.ts'
import type { ResourceStore } from './store/resource-store.ts'
import type { ShareStore } from './store/share-store.ts'

type TransferStores = {
  activity: ActivityStore
  members: MemberStore
  resources: ResourceStore
  shares: ShareStore
}

/**
 * Makes a member of the workspace the owner of a resource. Records activity only if the owner
 * changes.
 */
export async function transferOwnership(
  { stores, principal }: WriteContext<TransferStores>,
  request: TransferOwnershipRequest,
): Promise<ResourcePermissionResponse> {
  const resource = await requireResource(stores, principal, request)
  await requireOwnership(stores, principal, resource, request)
  const { id, workspaceId } = resource
  const to = request.owner_id
  await stores.transaction(async (tx) => {
    const from = await tx.resources.setOwner(id, to)
    if (from === undefined) {
      if (await tx.members.exists({ workspaceId, userId: to })) return
      throw invalidArgument({ field: 'owner_id', message: 'must be a member of the workspace' })
    }
    await tx.activity.record(actorOf(principal), {
      action: 'permission.owner_changed',
      targetId: id,
      workspaceId,
      detail: { ...toWireKey(resource), from, to },
    })
  })
  const current = await stores.resources.find(id)
  if (!current) throw resourceNotFound()
  return loadResourceResponse(stores, current)
}
