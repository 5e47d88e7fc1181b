import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  AddRoleActionsRequest,
  ListRoleActionsResponse,
  RoleActionRequest,
  RoleActionResponse,
  RoleRequest,
  RoleResponse,
} from '../../gen/daikon/v1/admin_roles.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { requireRole, roleMissing } from './custom-roles.ts'

type ActionName = { service_name: string; name: string }

/** The actions of a role, by service and name. */
export async function listRoleActions(
  { em }: RequestContext,
  { role_id }: RoleRequest,
): Promise<ListRoleActionsResponse> {
  const { id } = await requireRole(em, role_id)
  type Row = Omit<RoleActionResponse, 'registered_at'> & { registered_at: Timestamp }
  const rows = await em.execute<Row[]>(
    `select a.id, a.service_name, a.name, a.description, a.registered_at
     from custom_role_actions r join service_actions a on a.id = r.service_action_id
     where r.role_id = ? order by a.service_name, a.name`,
    [id],
  )
  return { actions: rows.map((row) => ({ ...row, registered_at: isoTime(row.registered_at) })) }
}

/** Adds actions of any services to a role, all of them or none; again changes nothing. */
export async function addRoleActions(
  { em, principal }: RequestContext,
  request: AddRoleActionsRequest,
): Promise<Acknowledgement> {
  const ids = new Set(request.service_action_ids.map((id) => id.toLowerCase()))
  return inTransaction(em, async (em) => {
    const role = await requireRole(em, request.role_id)
    // In one order, so that two who add the same wait for each other instead of deadlocking.
    const sql = 'select id, service_name, name from service_actions where id in (?) order by id'
    const actions = await em.execute<(ActionName & { id: string })[]>(sql, [[...ids]])
    if (actions.length < ids.size) throw actionMissing()
    for (const { id, ...action } of actions) {
      const [added] = await em
        .execute<{ role_id: string }[]>(
          `insert into custom_role_actions (role_id, service_action_id) values (?, ?)
           on conflict do nothing returning role_id`,
          [role.id, id],
        )
        .catch((error) => {
          throw violates(error, 'foreign') ? roleMissing() : error
        })
      if (added) await recordAction({ em, principal }, 'role.action_added', role, action)
    }
    return { status: 'ok' }
  })
}

/** Takes an action out of a role; the next check knows. */
export async function removeRoleAction(
  { em, principal }: RequestContext,
  request: RoleActionRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const role = await requireRole(em, request.role_id)
    const [removed] = await em.execute<ActionName[]>(
      `delete from custom_role_actions r using service_actions a
       where r.role_id = ? and r.service_action_id = ? and a.id = r.service_action_id
       returning a.service_name, a.name`,
      [role.id, request.service_action_id],
    )
    if (!removed) throw actionMissing()
    await recordAction({ em, principal }, 'role.action_removed', role, removed)
    return {}
  })
}

function recordAction(
  { em, principal }: WriteContext,
  action: 'role.action_added' | 'role.action_removed',
  { id, workspace_id, name }: RoleResponse,
  added: ActionName,
): Promise<void> {
  const detail = { name, service_name: added.service_name, action: added.name }
  return recordActivity(em, actorOf(principal), {
    action,
    targetId: id,
    workspaceId: workspace_id,
    detail,
  })
}

function actionMissing(): ServiceError {
  return new ServiceError('not_found', 'SERVICE_ACTION_NOT_FOUND', 'Service action not found')
}
