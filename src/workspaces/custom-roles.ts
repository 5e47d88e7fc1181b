import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type {
  ListRolesRequest,
  ListRolesResponse,
  RoleCreateRequest,
  RoleRequest,
  RoleResponse,
  RoleUpdateRequest,
} from '../../gen/daikon/v1/admin_roles.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { changedFields } from '../core/changed-fields.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal, RequestContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { CustomRole } from '../database/entities/custom-roles.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { requireKnownWorkspace, workspaceMissing } from './require-workspace.ts'

/** The custom roles of a workspace, by name, with how many actions and members each has. */
export async function listRoles(
  { em }: RequestContext,
  { workspace_id }: ListRolesRequest,
): Promise<ListRolesResponse> {
  const where = 'where r.workspace_id = ? order by r.name, r.id'
  const rows = await em.execute<RoleRow[]>(`${select} ${where}`, [workspace_id])
  if (rows.length === 0) await requireKnownWorkspace(em, workspace_id)
  return { roles: rows.map(view) }
}

/** The custom roles that a user has, by name. */
export async function rolesOf(em: EntityManager, userId: string): Promise<RoleResponse[]> {
  const where = `where r.id in (select role_id from custom_role_members where user_id = ?)
    order by r.name, r.id`
  return (await em.execute<RoleRow[]>(`${select} ${where}`, [userId])).map(view)
}

/** Makes a role, which nobody has and which gives nothing. */
export async function createRole(
  { em, principal }: RequestContext,
  { workspace_id, name, description = '' }: RoleCreateRequest,
): Promise<RoleResponse> {
  const id = uuid()
  return inTransaction(em, async (em) => {
    await em
      .insert(CustomRole, { id, workspace_id, name: name.trim(), description })
      .catch((error) => {
        throw violates(error, 'foreign') ? workspaceMissing() : unlessTaken(error)
      })
    const role = await requireRole(em, id)
    await recordRole(em, principal, 'role.created', role)
    return role
  })
}

/** Changes what is given of name and description. */
export async function updateRole(
  { em, principal }: RequestContext,
  { role_id, name, description }: RoleUpdateRequest,
): Promise<RoleResponse> {
  return inTransaction(em, async (em) => {
    const role = await requireRole(em, role_id)
    const changes = changedFields({ name: name?.trim(), description }, role)
    if (!changes) return role
    const changed = em.nativeUpdate(CustomRole, { id: role.id }, changes)
    const count = await changed.catch((error) => {
      throw unlessTaken(error)
    })
    if (!count) throw roleMissing()
    await recordRole(em, principal, 'role.updated', { ...role, ...changes })
    return { ...role, ...changes }
  })
}

/** Deletes a role; its actions and members lose it, and the next check knows. */
export async function deleteRole(
  { em, principal }: RequestContext,
  { role_id }: RoleRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const role = await requireRole(em, role_id)
    // Of two at once one has deleted it.
    if (!(await em.nativeDelete(CustomRole, { id: role.id }))) throw roleMissing()
    await recordRole(em, principal, 'role.deleted', role)
    return {}
  })
}

type RoleRow = Omit<RoleResponse, 'created_at'> & { created_at: Timestamp }

const select = `
  select r.id, r.workspace_id, r.name, r.description, r.created_at,
    (select count(*)::int from custom_role_actions where role_id = r.id) as action_count,
    (select count(*)::int from custom_role_members where role_id = r.id) as member_count
  from custom_roles r`

/** The role as it is shown. */
export async function requireRole(em: EntityManager, id: string): Promise<RoleResponse> {
  const [row] = await em.execute<RoleRow[]>(`${select} where r.id = ?`, [id])
  if (row) return view(row)
  throw roleMissing()
}

export function roleMissing(): ServiceError {
  return new ServiceError('not_found', 'ROLE_NOT_FOUND', 'Role not found')
}

function recordRole(
  em: EntityManager,
  principal: Principal,
  action: 'role.created' | 'role.updated' | 'role.deleted',
  { id, workspace_id, name }: RoleResponse,
): Promise<void> {
  const entry = { action, targetId: id, workspaceId: workspace_id, detail: { name } }
  return recordActivity(em, actorOf(principal), entry)
}

function view(row: RoleRow): RoleResponse {
  return { ...row, created_at: isoTime(row.created_at) }
}

function unlessTaken(error: unknown): unknown {
  if (!violates(error, 'unique')) return error
  return new ServiceError(
    'already_exists',
    'ROLE_NAME_TAKEN',
    'Another role of the workspace has this name',
  )
}
