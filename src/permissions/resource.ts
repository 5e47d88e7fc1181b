import type { EntityManager } from '@mikro-orm/postgresql'
import type { ResourcePermissionResponse, Share } from '../../gen/daikon/v1/permissions.ts'
import type { Caller } from '../rpc/call.ts'
import { Fault } from '../rpc/fault.ts'
import {
  type SharePermission,
  Share as ShareRow,
  type Visibility,
} from '../storage/entities/resources.ts'
import { isoTime, type Timestamp } from '../storage/timestamp.ts'
import { rules } from './access.ts'

/** A resource's row with the names of its kind. */
export type Resource = {
  id: string
  kind_id: number
  service_name: string
  resource_type: string
  resource_id: string
  workspace_id: string
  owner_id: string
  visibility: Visibility
  created_at: Timestamp
}

/** The columns of a resource's row, and whence; a left join is left out where rows are counted. */
export const resourceSql = {
  select: 'r.*, k.service_name, k.resource_type',
  from: 'resources r left join resource_kinds k on k.id = r.kind_id',
}

const select = `select ${resourceSql.select} from ${resourceSql.from}`

/** The resource of a permission_id, if it is in the caller's reach; else it is missing for them. */
export async function requireResource(
  em: EntityManager,
  caller: Caller,
  permissionId: string,
): Promise<Resource> {
  const [found] = await em.execute<Resource[]>(`${select} where r.id = ?`, [permissionId])
  if (!found || !isInReach(caller, found)) throw resourceMissing()
  return found
}

/** The resource by its service's own name for it. */
export async function findResource(
  em: EntityManager,
  key: { service_name: string; resource_type: string; resource_id: string },
): Promise<Resource | undefined> {
  const [found] = await em.execute<Resource[]>(
    `${select} where k.service_name = ? and k.resource_type = ? and r.resource_id = ?`,
    [key.service_name, key.resource_type, key.resource_id],
  )
  return found
}

/** Who may change a resource's record; a row for each kind of caller (contract 5). */
export function requireManager(caller: Caller, resource: Resource): void {
  const { user } = caller
  if (!user || user.id === resource.owner_id || (user.role && rules(user.role))) return
  throw new Fault('forbidden', 'NOT_THE_OWNER', 'Only the owner or a workspace admin may share it')
}

/** The record as it goes out, with its shares, oldest first. */
export async function present(
  em: EntityManager,
  resource: Resource,
): Promise<ResourcePermissionResponse> {
  const { kind_id, resource_id } = resource
  const shares = await em.find(ShareRow, { kind_id, resource_id }, { orderBy: { id: 'asc' } })
  return { ...presentFacts(resource), shares: shares.map(presentShare) }
}

/** The record as it goes out, without its shares. */
export function presentFacts({
  kind_id,
  created_at,
  ...facts
}: Resource): Omit<ResourcePermissionResponse, 'shares'> {
  return { ...facts, created_at: isoTime(created_at) }
}

/** A share as it goes out. */
export function presentShare(share: {
  id: string
  user_id?: string | null | undefined
  group_id?: string | null | undefined
  permission: SharePermission
  granted_by?: string | null | undefined
  granted_at: Timestamp
}): Share {
  return {
    id: share.id,
    grantee_type: share.user_id ? 'user' : 'group',
    grantee_id: share.user_id ?? share.group_id ?? '',
    permission: share.permission,
    granted_by: share.granted_by ?? '',
    granted_at: isoTime(share.granted_at),
  }
}

export function resourceMissing(): Fault {
  return new Fault('missing', 'RESOURCE_NOT_FOUND', 'Resource not found')
}

function isInReach({ user, service }: Caller, resource: Resource): boolean {
  if (user && user.workspaceId !== resource.workspace_id) return false
  return service?.name === undefined || service.name === resource.service_name
}
