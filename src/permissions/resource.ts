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

/** The service, type and ID that identify a resource. */
export type ResourceKey = Pick<Resource, 'service_name' | 'resource_type' | 'resource_id'>

/** Identifies a resource by `permission_id` or by key. Field rules require one of them. */
export type ResourceReference = { permission_id?: string | undefined } & {
  [Name in keyof ResourceKey]?: string | undefined
}

/**
 * Returns the resource that a request identifies.
 *
 * @throws ServiceError `not_found` if the resource does not exist, or belongs to a different
 * workspace than the user's token or to a different service than the service key
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
 * Returns a resource to change. If the call carries a user's token, the user must be allowed to
 * manage the resource.
 *
 * @throws ServiceError `not_found` if the resource does not exist or belongs to another service;
 * `permission_denied` like `requireManage`
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

export async function findResource(
  em: EntityManager,
  { service_name, resource_type, resource_id }: ResourceKey,
): Promise<Resource | undefined> {
  return batched<Resource>(em, resourceByName, { service_name, resource_type, resource_id })
}

/** Returns whether a resource has the same workspace and owner as a registration. */
export function hasSameFacts(
  resource: Resource,
  { workspace_id, owner_id }: Pick<Resource, 'workspace_id' | 'owner_id'>,
): boolean {
  return resource.workspace_id === workspace_id && resource.owner_id === owner_id
}

/**
 * Requires that the user of a call may perform the action `manage` on a resource. Does nothing
 * without a user: the service or administrator is then responsible.
 *
 * @throws ServiceError `permission_denied` if the token was issued for another workspace, or if the
 * user is not an owner or admin of the workspace and does not own the resource or an ancestor that
 * it inherits from
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

async function ownsAncestor(
  em: EntityManager,
  user_id: string,
  { parent_id, inherits }: Resource,
): Promise<boolean> {
  if (parent_id === null || !inherits) return false
  const row = await batched<{ owns: boolean }>(em, ancestorOwner, { parent_id, user_id })
  return row?.owns === true
}

/**
 * Returns the grants of a user on a resource of their workspace as bits of `grant`, including
 * inherited ones. The bit `registered` is not set.
 */
export async function findUserGrants(
  em: EntityManager,
  { id, workspaceId }: UserPrincipal,
  permissionId: string,
): Promise<number> {
  const values = [id, workspaceId, permissionId]
  const [row] = await query<{ grants: number }>(em, userGrantsSql, values)
  return row?.grants ?? 0
}

/** Builds the response for a resource and its shares, the oldest first. */
export async function viewResource(
  em: EntityManager,
  resource: Resource,
): Promise<ResourcePermissionResponse> {
  const { kind_id, resource_id } = resource
  const row = await batched<{ shares: ShareRow[] }>(em, sharesOfResource, { kind_id, resource_id })
  return { ...viewFacts(resource), shares: (row?.shares ?? []).map(viewShare) }
}

/** Builds the response for a resource, without its shares. */
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
