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
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { CustomRole } from '../database/entities/custom-roles.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import { findRole, findUserRoles, findWorkspaceRoles, type RoleRow } from './custom-role-queries.ts'
import { requireWorkspaceExists, workspaceNotFound } from './workspaces.ts'

/** Lists the custom roles of a workspace, by name. */
export async function listRoles(
  { em }: RequestContext,
  { workspace_id }: ListRolesRequest,
): Promise<ListRolesResponse> {
  const rows = await findWorkspaceRoles(em, workspace_id)
  if (rows.length === 0) await requireWorkspaceExists(em, workspace_id)
  return { roles: rows.map(toRoleResponse) }
}

/** Lists the custom roles that a user has, by name. */
export async function listUserRoles(em: EntityManager, userId: string): Promise<RoleResponse[]> {
  return (await findUserRoles(em, userId)).map(toRoleResponse)
}

/** Creates a custom role without actions or members. */
export async function createRole(
  { em, principal }: RequestContext,
  { workspace_id, name, description = '' }: RoleCreateRequest,
): Promise<RoleResponse> {
  const id = uuid()
  return inTransaction(em, async (em) => {
    await em
      .insert(CustomRole, { id, workspace_id, name: name.trim(), description })
      .catch((error) => {
        throw violates(error, 'foreign') ? workspaceNotFound() : nameTakenOr(error)
      })
    const role = await requireRole(em, id)
    await recordRole({ em, principal }, 'role.created', role)
    return role
  })
}

/** Changes the name or description of a custom role. */
export async function updateRole(
  { em, principal }: RequestContext,
  { role_id, name, description }: RoleUpdateRequest,
): Promise<RoleResponse> {
  return inTransaction(em, async (em) => {
    const role = await requireRole(em, role_id)
    const changes = changedFields({ name: name?.trim(), description }, role)
    if (!changes) return role
    const updated = await em.nativeUpdate(CustomRole, { id: role.id }, changes).catch((error) => {
      throw nameTakenOr(error)
    })
    if (!updated) throw roleNotFound()
    await recordRole({ em, principal }, 'role.updated', { ...role, ...changes })
    return { ...role, ...changes }
  })
}

/** Deletes a custom role; its members lose its actions. */
export async function deleteRole(
  { em, principal }: RequestContext,
  { role_id }: RoleRequest,
): Promise<DeleteResponse> {
  return inTransaction(em, async (em) => {
    const role = await requireRole(em, role_id)
    // A concurrent call may have deleted the role.
    if (!(await em.nativeDelete(CustomRole, { id: role.id }))) throw roleNotFound()
    await recordRole({ em, principal }, 'role.deleted', role)
    return {}
  })
}

export async function requireRole(em: EntityManager, id: string): Promise<RoleResponse> {
  const row = await findRole(em, id)
  if (!row) throw roleNotFound()
  return toRoleResponse(row)
}

export function roleNotFound(): ServiceError {
  return new ServiceError('not_found', 'ROLE_NOT_FOUND', 'Role not found')
}

function recordRole(
  { em, principal }: WriteContext,
  action: 'role.created' | 'role.updated' | 'role.deleted',
  { id, workspace_id, name }: RoleResponse,
): Promise<void> {
  return recordActivity(em, actorOf(principal), {
    action,
    targetId: id,
    workspaceId: workspace_id,
    detail: { name },
  })
}

function toRoleResponse(row: RoleRow): RoleResponse {
  return { ...row, created_at: isoTime(row.created_at) }
}

function nameTakenOr(error: unknown): unknown {
  if (!violates(error, 'unique')) return error
  return new ServiceError(
    'already_exists',
    'ROLE_NAME_TAKEN',
    'Another role in the workspace has this name',
  )
}
