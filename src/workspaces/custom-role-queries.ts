import type { EntityManager } from '@mikro-orm/postgresql'
import type { RoleActionResponse, RoleResponse } from '../../gen/daikon/v1/admin_roles.ts'
import { query } from '../database/query.ts'
import type { Timestamp } from '../database/sql-values.ts'

/** A custom role with the number of its actions and members. */
export type RoleRow = Omit<RoleResponse, 'created_at'> & { created_at: Timestamp }

const roleSelect = `
  select r.id, r.workspace_id, r.name, r.description, r.created_at,
    (select count(*)::int from custom_role_actions where role_id = r.id) as action_count,
    (select count(*)::int from custom_role_members where role_id = r.id) as member_count
  from custom_roles r`

export async function findRole(em: EntityManager, id: string): Promise<RoleRow | undefined> {
  const [row] = await query<RoleRow>(em, `${roleSelect} where r.id = $1`, [id])
  return row
}

export function findWorkspaceRoles(em: EntityManager, workspaceId: string): Promise<RoleRow[]> {
  return query(em, `${roleSelect} where r.workspace_id = $1 order by r.name, r.id`, [workspaceId])
}

export function findUserRoles(em: EntityManager, userId: string): Promise<RoleRow[]> {
  return query(
    em,
    `${roleSelect}
     where r.id in (select role_id from custom_role_members where user_id = $1)
     order by r.name, r.id`,
    [userId],
  )
}

export type RoleActionRow = Omit<RoleActionResponse, 'registered_at'> & { registered_at: Timestamp }

/** Returns the actions of a role, by service and name. */
export function findRoleActions(em: EntityManager, roleId: string): Promise<RoleActionRow[]> {
  return query(
    em,
    `select a.id, a.service_name, a.name, a.description, a.registered_at
     from custom_role_actions r join service_actions a on a.id = r.service_action_id
     where r.role_id = $1 order by a.service_name, a.name`,
    [roleId],
  )
}

export type ActionName = { service_name: string; name: string }

/** Returns service actions in the order of their IDs. */
export function findServiceActions(
  em: EntityManager,
  ids: string[],
): Promise<(ActionName & { id: string })[]> {
  return query(
    em,
    `select id, service_name, name from service_actions where id = any($1::uuid[]) order by id`,
    [ids],
  )
}

/** Adds an action to a role. Returns false if the role already contains it. */
export async function insertRoleAction(
  em: EntityManager,
  roleId: string,
  actionId: string,
): Promise<boolean> {
  const inserted = await query(
    em,
    `insert into custom_role_actions (role_id, service_action_id) values ($1, $2)
     on conflict do nothing returning role_id`,
    [roleId, actionId],
  )
  return inserted.length > 0
}

/**
 * Removes an action from a role. Returns its name, or undefined if the role does not contain it.
 */
export async function deleteRoleAction(
  em: EntityManager,
  roleId: string,
  actionId: string,
): Promise<ActionName | undefined> {
  const [deleted] = await query<ActionName>(
    em,
    `delete from custom_role_actions r using service_actions a
     where r.role_id = $1 and r.service_action_id = $2 and a.id = r.service_action_id
     returning a.service_name, a.name`,
    [roleId, actionId],
  )
  return deleted
}
