import type { EntityManager } from '@mikro-orm/postgresql'
import type { ResourcePermissionResponse, ShareResponse } from '../../gen/daikon/v1/permissions.ts'
import { otherWorkspace, ServiceError } from '../core/errors.ts'
import type { Principal, UserPrincipal } from '../core/request-context.ts'
import { batched } from '../database/batched-query.ts'
import { query } from '../database/query.ts'
import { isoTime } from '../database/sql-values.ts'
import { coversWorkspace } from './access.ts'
import { userGrantsSql } from './parent-queries.ts'
import {
  ancestorOwner,
  type Resource,
  resourceById,
  resourceByName,
  type ShareRow,
  sharesOfResource,
} from './queries.ts'

/** The names that a service registered a resource with. */
export type ResourceKey = Pick<Resource, 'service_name' | 'resource_type' | 'resource_id'>

/** How a request names a resource: by `permission_id` or by key; field rules require one of them. */
export type ResourceReference = { permission_id?: string | undefined } & {
  [Name in keyof ResourceKey]?: string | undefined
}

/**
 * Returns the resource that a request names.
 *
 * @throws ServiceError `not_found` if it does not exist, or belongs to another workspace than the
 * user's token or to another service than the service key
 */
export async function requireResource(
  em: EntityManager,
  principal: Principal,
  reference: ResourceReference,
): Promise<Resource> {
  const resource = await requireResourceOfService(em, principal, reference)
  const { user } = principal
  if (user && user.workspaceId !== resource.workspace_id) throw resourceNotFound()
  return resource
}

/**
 * Returns the resource that a service names to change it. If a user's token accompanies the call, the
 * user must be allowed to manage the resource.
 *
 * @throws ServiceError `not_found` if it does not exist or belongs to another service;
 * `permission_denied` as `requireManage`
 */
export async function requireManageableResource(
  em: EntityManager,
  principal: Principal,
  reference: ResourceReference,
): Promise<Resource> {
  const resource = await requireResourceOfService(em, principal, reference)
  await requireManage(em, principal, resource)
  return resource
}

async function requireResourceOfService(
  em: EntityManager,
  { service }: Principal,
  { permission_id, ...key }: ResourceReference,
): Promise<Resource> {
  const resource =
    permission_id === undefined
      ? await findResource(em, key as ResourceKey)
      : await batched<Resource>(em, resourceById, { id: permission_id })
  const isOfService = service?.name === undefined || service.name === resource?.service_name
  if (!resource || !isOfService) throw resourceNotFound()
  return resource
}

/** Finds a resource by the names that its service registered it with. */
export async function findResource(
  em: EntityManager,
  { service_name, resource_type, resource_id }: ResourceKey,
): Promise<Resource | undefined> {
  return batched<Resource>(em, resourceByName, { service_name, resource_type, resource_id })
}

/** Whether a resource is registered with the workspace and the owner of a registration. */
export function hasSameFacts(
  resource: Resource,
  { workspace_id, owner_id }: Pick<Resource, 'workspace_id' | 'owner_id'>,
): boolean {
  return resource.workspace_id === workspace_id && resource.owner_id === owner_id
}

/**
 * Requires that the user of a call may take the action `manage` on a resource. Does nothing without a
 * user: then the service, or an administrator, decides.
 *
 * @throws ServiceError `permission_denied` if the token was issued for another workspace, or the user
 * neither owns the resource or an ancestor it inherits from, nor is an owner or admin of the workspace
 */
export async function requireManage(
  em: EntityManager,
  { user }: Principal,
  resource: Resource,
): Promise<void> {
  if (!user) return
  if (user.workspaceId !== resource.workspace_id) throw otherWorkspace()
  if (user.id === resource.owner_id || (user.role && coversWorkspace(user.role))) return
  if (await ownsAncestor(em, user.id, resource)) return
  throw new ServiceError(
    'permission_denied',
    'NOT_THE_OWNER',
    'Requires the owner of the resource, or an owner or admin of its workspace',
  )
}

/** Whether the user owns a resource from which this one inherits. */
async function ownsAncestor(
  em: EntityManager,
  user_id: string,
  { parent_id, inherits }: Resource,
): Promise<boolean> {
  if (parent_id === null || !inherits) return false
  const row = await batched<{ owns: boolean }>(em, ancestorOwner, { parent_id, user_id })
  return row?.owns === true
}

/** Returns the grants of a user on a resource of their workspace, inherited ones included, as bits. */
export async function findUserGrants(
  em: EntityManager,
  { id, workspaceId }: UserPrincipal,
  permissionId: string,
): Promise<number> {
  const values = [id, workspaceId, permissionId]
  const [row] = await query<{ grants: number }>(em, userGrantsSql, values)
  return row?.grants ?? 0
}

/** Returns the response for a resource, with its shares, oldest first. */
export async function viewResource(
  em: EntityManager,
  resource: Resource,
): Promise<ResourcePermissionResponse> {
  const { kind_id, resource_id } = resource
  const row = await batched<{ shares: ShareRow[] }>(em, sharesOfResource, { kind_id, resource_id })
  return { ...viewFacts(resource), shares: (row?.shares ?? []).map(viewShare) }
}

/** Returns the response for a resource, without its shares. */
export function viewFacts({
  kind_id,
  parent_id,
  parent,
  created_at,
  external_id,
  ...facts
}: Resource): Omit<ResourcePermissionResponse, 'shares'> {
  return {
    ...facts,
    parent: parent ?? undefined,
    created_at: isoTime(created_at),
    ...(external_id !== null && { external_id }),
  }
}

/** Returns the response for a share. */
export function viewShare(share: ShareRow): ShareResponse {
  return {
    id: share.id,
    grantee_type: share.user_id ? 'user' : 'group',
    grantee_id: share.user_id ?? share.group_id ?? '',
    permission: share.permission,
    granted_by: share.granted_by ?? '',
    granted_at: isoTime(share.granted_at),
    ...(share.expires_at !== null && { expires_at: isoTime(share.expires_at) }),
  }
}

export function resourceNotFound(): ServiceError {
  return new ServiceError('not_found', 'RESOURCE_NOT_FOUND', 'Resource not found')
}
