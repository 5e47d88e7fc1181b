import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  AddRoleActionsRequest,
  ListRoleActionsResponse,
  RoleActionRequest,
  RoleRequest,
} from '../../gen/daikon/v1/admin_roles.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { isoTime } from '../database/sql-values.ts'
import { requireRole, roleNotFound } from './custom-roles.ts'
import { createNamedEvent } from './named-objects.ts'
import { reasons } from './reasons.ts'
import type { RoleActionName, RoleStore } from './store/role-store.ts'

type RoleStores = { roles: RoleStore; activity: ActivityStore }

/** Lists the actions of a role, by service and name. */
export async function listRoleActions(
  { stores }: RequestContext<RoleStores>,
  request: RoleRequest,
): Promise<ListRoleActionsResponse> {
  const role = await requireRole(stores.roles, request)
  const actions = await stores.roles.listActions(role.id)
  return {
    actions: actions.map(({ serviceName, registeredAt, ...action }) => ({
      ...action,
      service_name: serviceName,
      registered_at: isoTime(registeredAt),
    })),
  }
}

/** Adds actions of any service to a role, either all of them or none. Idempotent. */
export async function addRoleActions(
  { stores, principal }: WriteContext<RoleStores>,
  request: AddRoleActionsRequest,
): Promise<Acknowledgement> {
  const ids = new Set(request.service_action_ids)
  return stores.transaction(async (tx) => {
    const role = await requireRole(tx.roles, request)
    // Inserting in the order of IDs avoids deadlocks between concurrent calls.
    const actions = await tx.roles.findRegisteredActions([...ids])
    if (actions.length < ids.size) throw new ServiceError(reasons.SERVICE_ACTION_NOT_FOUND)
    for (const action of actions) {
      const isNew = await tx.roles.addAction(role.id, action.id).catch((error) => {
        throw violates(error, 'foreign') ? roleNotFound() : error
      })
      if (!isNew) continue
      const event = createNamedEvent('role.action_added', role, detailOf(action))
      await tx.activity.record(actorOf(principal), event)
    }
    return { status: 'ok' }
  })
}

/** Removes an action from a role. */
export async function removeRoleAction(
  { stores, principal }: WriteContext<RoleStores>,
  request: RoleActionRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const role = await requireRole(tx.roles, request)
    const action = await tx.roles.removeAction(role.id, request.service_action_id)
    if (!action) throw new ServiceError(reasons.SERVICE_ACTION_NOT_FOUND)
    const event = createNamedEvent('role.action_removed', role, detailOf(action))
    await tx.activity.record(actorOf(principal), event)
    return {}
  })
}

function detailOf({ serviceName, name }: RoleActionName) {
  return { service_name: serviceName, action: name }
}
