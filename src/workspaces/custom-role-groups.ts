import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type { RoleGroupRequest, RoleRequest } from '../../gen/daikon/v1/admin_roles.ts'
import type { ListGroupsResponse } from '../../gen/daikon/v1/groups.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { requireRole } from './custom-roles.ts'
import { groupNotFound, toGroupResponse } from './groups.ts'
import { createNamedEvent } from './named-objects.ts'
import type { GroupStore } from './store/group-store.ts'
import type { RoleStore } from './store/role-store.ts'

type RoleStores = { roles: RoleStore; activity: ActivityStore }

/** Lists the groups that have a custom role, by name. */
export async function listRoleGroups(
  { stores }: RequestContext<{ roles: RoleStore; groups: GroupStore }>,
  request: RoleRequest,
): Promise<ListGroupsResponse> {
  const role = await requireRole(stores.roles, request)
  return { groups: (await stores.groups.listOfRole(role.id)).map(toGroupResponse) }
}

/**
 * Assigns a custom role to a group of its workspace. All effective members of the group have it.
 * Does nothing if the group already has the role.
 */
export async function addRoleGroup(
  { stores, principal }: WriteContext<RoleStores>,
  request: RoleGroupRequest,
): Promise<Acknowledgement> {
  const groupId = request.group_id
  return stores.transaction(async (tx) => {
    const role = await requireRole(tx.roles, request)
    const isNew = await tx.roles.addGroup(role, groupId).catch((error) => {
      // The foreign key requires that the group is in the workspace of the role.
      throw violates(error, 'foreign') ? groupNotFound() : error
    })
    if (isNew) {
      const event = createNamedEvent('role.group_added', role, { group_id: groupId })
      await tx.activity.record(actorOf(principal), event)
    }
    return { status: 'ok' }
  })
}

/** Removes a custom role from a group. */
export async function removeRoleGroup(
  { stores, principal }: WriteContext<RoleStores>,
  request: RoleGroupRequest,
): Promise<DeleteResponse> {
  const groupId = request.group_id
  return stores.transaction(async (tx) => {
    const role = await requireRole(tx.roles, request)
    if (!(await tx.roles.removeGroup(role.id, groupId))) throw groupNotFound()
    const event = createNamedEvent('role.group_removed', role, { group_id: groupId })
    await tx.activity.record(actorOf(principal), event)
    return {}
  })
}
