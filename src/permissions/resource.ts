import type { EntityManager } from '@mikro-orm/postgresql'
import type { ResourcePermissionResponse, ShareResponse } from '../../gen/daikon/v1/permissions.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/request-context.ts'
import { batched } from '../database/batched-query.ts'
import { isoTime } from '../database/sql-values.ts'
import { coversWorkspace } from './access.ts'
import {
  type Resource,
  resourceById,
  resourceByName,
  type ShareRow,
  sharesOfResource,
} from './queries.ts'

/**
 * Returns the resource with this `permission_id`.
 *
 * @throws ServiceError `not_found` if it does not exist, or belongs to another workspace than the
 * user's token or to another service than the service key
 */
export async function requireResource(
  em: EntityManager,
  principal: Principal,
  permissionId: string,
): Promise<Resource> {
  const resource = await batched<Resource>(em, resourceById, { id: permissionId })
  if (!resource || !isInScope(principal, resource)) throw resourceNotFound()
  return resource
}

/** Finds a resource by the names that its service registered it with. */
export async function findResource(
  em: EntityManager,
  {
    service_name,
    resource_type,
    resource_id,
  }: Pick<Resource, 'service_name' | 'resource_type' | 'resource_id'>,
): Promise<Resource | undefined> {
  return batched<Resource>(em, resourceByName, { service_name, resource_type, resource_id })
}

/** Requires that a user is the owner of the resource or an admin or owner of its workspace. */
export function requireManager({ user }: Principal, resource: Resource): void {
  if (!user || user.id === resource.owner_id || (user.role && coversWorkspace(user.role))) return
  throw new ServiceError(
    'permission_denied',
    'NOT_THE_OWNER',
    'Only the owner of the resource or a workspace admin may share it',
  )
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
  created_at,
  ...facts
}: Resource): Omit<ResourcePermissionResponse, 'shares'> {
  return { ...facts, created_at: isoTime(created_at) }
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
  }
}

export function resourceNotFound(): ServiceError {
  return new ServiceError('not_found', 'RESOURCE_NOT_FOUND', 'Resource not found')
}

function isInScope({ user, service }: Principal, resource: Resource): boolean {
  if (user && user.workspaceId !== resource.workspace_id) return false
  return service?.name === undefined || service.name === resource.service_name
}
