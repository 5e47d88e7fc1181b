import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  AddRoleActionsRequest,
  ListRoleActionsResponse,
  RoleActionRequest,
  RoleRequest,
  RoleResponse,
} from '../../gen/daikon/v1/admin_roles.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import {
  type ActionName,
  deleteRoleAction,
  findRoleActions,
  findServiceActions,
  insertRoleAction,
} from './custom-role-queries.ts'
import { requireRole, roleNotFound } from './custom-roles.ts'

/** Lists the actions of a role, by service and name. */
export async function listRoleActions(
  { em }: RequestContext,
  { role_id }: RoleRequest,
): Promise<ListRoleActionsResponse> {
  const { id } = await requireRole(em, role_id)
  const rows = await findRoleActions(em, id)
  return { actions: rows.map((row) => ({ ...row, registered_at: isoTime(row.registered_at) })) }
}

/** Adds actions of any service to a role, either all of them or none. Idempotent. */
export async function addRoleActions(
  { em, principal }: RequestContext,
  request: AddRoleActionsRequest,
): Promise<Acknowledgement> {
  const ids = new Set(request.service_action_ids.map((id) => id.toLowerCase()))
  return inTransaction(em, async (em) => {
    const role = await requireRole(em, request.role_id)
    // Inserting in the order of ids avoids deadlocks between concurrent calls.
    const actions = await findServiceActions(em, [...ids])
    if (actions.length < ids.size) throw actionNotFound()
    for (const action of actions) {
      const isNew = await insertRoleAction(em, role.id, action.id).catch((error) => {
        throw violates(error, 'foreign') ? roleNotFound() : error
      })
      if (isNew) await recordRoleAction({ em, principal }, 'role.action_added', role, action)
    }
    return { status: 'ok' }
  })
}

/** Removes an action from a role. */
export async function removeRoleAction(
  { em, principal }: RequestContext,
  request: RoleActionRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const role = await requireRole(em, request.role_id)
    const action = await deleteRoleAction(em, role.id, request.service_action_id)
    if (!action) throw actionNotFound()
    await recordRoleAction({ em, principal }, 'role.action_removed', role, action)
    return {}
  })
}

function recordRoleAction(
  { em, principal }: WriteContext,
  event: 'role.action_added' | 'role.action_removed',
  role: RoleResponse,
  action: ActionName,
): Promise<void> {
  return recordActivity(em, actorOf(principal), {
    action: event,
    targetId: role.id,
    workspaceId: role.workspace_id,
    detail: { name: role.name, service_name: action.service_name, action: action.name },
  })
}

function actionNotFound(): ServiceError {
  return new ServiceError('not_found', 'SERVICE_ACTION_NOT_FOUND', 'Service action not found')
}
