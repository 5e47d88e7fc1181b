import type { EntityManager } from '@mikro-orm/postgresql'
import type { ResourcePermissionResponse, Share } from '../../gen/daikon/v1/permissions.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/request-context.ts'
import { batched } from '../database/batched-query.ts'
import type { SharePermission, Visibility } from '../database/entities/resources.ts'
import { prepared } from '../database/prepared.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import { coversWorkspace } from './access.ts'

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

/** A share's row. */
export type ShareRow = {
  id: string
  user_id: string | null
  group_id: string | null
  permission: SharePermission
  granted_by: string | null
  granted_at: Timestamp
}

/** The columns of a resource's row, and whence; a left join is left out where rows are counted. */
export const resourceSql = {
  select: 'r.*, k.service_name, k.resource_type',
  from: 'resources r left join resource_kinds k on k.id = r.kind_id',
}

const select = `select ${resourceSql.select} from ${resourceSql.from}`

const byId = {
  name: 'resource',
  run: prepared,
  text: `
    select asked.place, ${resourceSql.select}
    from json_to_recordset($1) as asked (place int, id uuid)
    join ${resourceSql.from} on r.id = asked.id`,
}

/** The resource of a permission_id, if it is in the principal's reach; else it is missing for them. */
export async function requireResource(
  em: EntityManager,
  principal: Principal,
  permissionId: string,
): Promise<Resource> {
  const found = await batched<Resource>(em, byId, { id: permissionId })
  if (!found || !isInReach(principal, found)) throw resourceNotFound()
  return found
}

/** The resource by its service's own name for it. */
export async function findResource(
  em: EntityManager,
  key: { service_name: string; resource_type: string; resource_id: string },
): Promise<Resource | undefined> {
  const [found] = await prepared<Resource>(em, {
    name: 'resource_by_name',
    text: `${select} where k.service_name = $1 and k.resource_type = $2 and r.resource_id = $3`,
    values: [key.service_name, key.resource_type, key.resource_id],
  })
  return found
}

/** Who may change a resource's record; a row for each kind of principal. */
export function requireManager(principal: Principal, resource: Resource): void {
  const { user } = principal
  if (!user || user.id === resource.owner_id || (user.role && coversWorkspace(user.role))) return
  throw new ServiceError(
    'permission_denied',
    'NOT_THE_OWNER',
    'Only the owner or a workspace admin may share it',
  )
}

/** The record as it goes out, with its shares, oldest first. */
export async function viewResource(
  em: EntityManager,
  resource: Resource,
): Promise<ResourcePermissionResponse> {
  const shares = await prepared<ShareRow>(em, {
    name: 'shares_of_resource',
    text: 'select * from shares where kind_id = $1 and resource_id = $2 order by id',
    values: [resource.kind_id, resource.resource_id],
  })
  return { ...viewFacts(resource), shares: shares.map(viewShare) }
}

/** The record as it goes out, without its shares. */
export function viewFacts({
  kind_id,
  created_at,
  ...facts
}: Resource): Omit<ResourcePermissionResponse, 'shares'> {
  return { ...facts, created_at: isoTime(created_at) }
}

/** A share as it goes out. */
export function viewShare(share: ShareRow): Share {
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

function isInReach({ user, service }: Principal, resource: Resource): boolean {
  if (user && user.workspaceId !== resource.workspace_id) return false
  return service?.name === undefined || service.name === resource.service_name
}
