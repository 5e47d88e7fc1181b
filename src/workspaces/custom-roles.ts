import type {
  DeleteRoleRequest,
  ListRolesRequest,
  ListRolesResponse,
  RoleCreateRequest,
  RoleRequest,
  RoleResponse,
  RoleUpdateRequest,
} from '../../gen/daikon/v1/admin_roles.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { requireMatch } from '../core/entity-tag.ts'
import { ServiceError } from '../core/errors.ts'
import { newId } from '../core/new-id.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { isoTime } from '../database/sql-values.ts'
import {
  changeNamed,
  createNamedEvent,
  listOrPage,
  rejectTakenName,
  tagOf,
} from './named-objects.ts'
import { reasons } from './reasons.ts'
import type { RoleStore, StoredRole } from './store/role-store.ts'
import type { WorkspaceStore } from './store/workspace-store.ts'
import { requireWorkspaceExists, workspaceNotFound } from './workspaces.ts'

type RoleStores = { roles: RoleStore; activity: ActivityStore }

/** Lists the custom roles of a workspace, by name: a page, or without `page` all of them. */
export async function listRoles(
  { stores }: RequestContext<RoleStores & { workspaces: WorkspaceStore }>,
  { workspace_id, q, ...request }: ListRolesRequest,
): Promise<ListRolesResponse> {
  const { items, ...total } = await listOrPage(
    request,
    () => stores.roles.list(workspace_id, q),
    (page) => stores.roles.listPage(workspace_id, q, page),
  )
  if (items.length === 0) await requireWorkspaceExists(stores.workspaces, workspace_id)
  return { roles: items.map(toRoleResponse), ...total }
}

/** Lists the custom roles that a user has, by name. */
export async function listUserRoles(roles: RoleStore, userId: string): Promise<RoleResponse[]> {
  return (await roles.listOfUser(userId)).map(toRoleResponse)
}

/** Returns a custom role. */
export async function getRole(
  { stores }: RequestContext<{ roles: RoleStore }>,
  request: RoleRequest,
): Promise<RoleResponse> {
  return toTaggedResponse(await requireRole(stores.roles, request))
}

/** Creates a custom role without actions or members. */
export async function createRole(
  { stores, principal }: WriteContext<RoleStores>,
  { workspace_id: workspaceId, name, description = '' }: RoleCreateRequest,
): Promise<RoleResponse> {
  const id = newId()
  return stores.transaction(async (tx) => {
    const inserted = tx.roles.insert({ id, workspaceId, name: name.trim(), description })
    await rejectTakenName(reasons.ROLE_NAME_TAKEN, inserted).catch((error) => {
      throw violates(error, 'foreign') ? workspaceNotFound() : error
    })
    const role = await requireRole(tx.roles, { role_id: id })
    await tx.activity.record(actorOf(principal), createNamedEvent('role.created', role, {}))
    return toRoleResponse(role)
  })
}

/** Changes the name or description of a custom role. */
export async function updateRole(
  { stores, principal }: WriteContext<RoleStores>,
  request: RoleUpdateRequest,
): Promise<RoleResponse> {
  return stores.transaction(async (tx) => {
    const role = await lockRole(tx.roles, request)
    const after = await changeNamed(tx.roles, role, request, reasons.ROLE_NAME_TAKEN)
    if (!after) return toTaggedResponse(role)
    await tx.activity.record(actorOf(principal), createNamedEvent('role.updated', after, {}))
    return toTaggedResponse(after)
  })
}

/** Deletes a custom role; its members lose its actions. */
export async function deleteRole(
  { stores, principal }: WriteContext<RoleStores>,
  request: DeleteRoleRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const role = await lockRole(tx.roles, request)
    await tx.roles.delete(role.id)
    await tx.activity.record(actorOf(principal), createNamedEvent('role.deleted', role, {}))
    return {}
  })
}

/** Finds a role by its ID, and by `workspace_id` if it is set, or throws ROLE_NOT_FOUND. */
export async function requireRole(
  roles: RoleStore,
  { workspace_id, role_id }: RoleRequest,
): Promise<StoredRole> {
  const role = await roles.find(role_id, workspace_id)
  if (!role) throw roleNotFound()
  return role
}

/** Locks a role until the end of the transaction, and checks `if_match`. */
async function lockRole(
  roles: RoleStore,
  { workspace_id, role_id, if_match }: DeleteRoleRequest,
): Promise<StoredRole> {
  const role = await roles.lock(role_id, workspace_id)
  if (!role) throw roleNotFound()
  requireMatch(if_match, tagOf(role))
  return role
}

export function roleNotFound(): ServiceError {
  return new ServiceError(reasons.ROLE_NOT_FOUND)
}

function toTaggedResponse(role: StoredRole): RoleResponse {
  return { ...toRoleResponse(role), etag: tagOf(role) }
}

function toRoleResponse(role: StoredRole): RoleResponse {
  const { id, workspaceId, name, description, createdAt, actionCount, memberCount } = role
  return {
    id,
    workspace_id: workspaceId,
    name,
    description,
    created_at: isoTime(createdAt),
    action_count: actionCount,
    member_count: memberCount,
    group_count: role.groupCount,
  }
}
