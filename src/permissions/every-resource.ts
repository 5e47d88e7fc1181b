import type {
  PermissionPage,
  PermissionPageRequest,
  PermissionRequest,
} from '../../gen/daikon/v1/admin_permissions.ts'
import type { ResourcePermissionResponse } from '../../gen/daikon/v1/permissions.ts'
import type { Context } from '../rpc/call.ts'
import { findPage } from '../storage/page.ts'
import { present, presentFacts, type Resource, requireResource, resourceSql } from './resource.ts'

type CountedResource = Resource & { share_count: number }

/** Resources of every service, the newest first; a filter that nothing meets finds nothing. */
export async function listPermissions(
  { em }: Context,
  { workspace_id, service_name, ...page }: PermissionPageRequest,
): Promise<PermissionPage> {
  const filters = [
    ...(workspace_id === undefined ? [] : [{ sql: 'r.workspace_id = ?', value: workspace_id }]),
    ...(service_name === undefined ? [] : [{ sql: 'k.service_name = ?', value: service_name }]),
  ]
  const where = filters.length > 0 ? `where ${filters.map(({ sql }) => sql).join(' and ')}` : ''
  const shares = 'select count(*)::int from shares s'
  const found = await findPage<CountedResource>(em, page, {
    select: `${resourceSql.select},
      (${shares} where s.kind_id = r.kind_id and s.resource_id = r.resource_id) as share_count`,
    from: `${resourceSql.from} ${where}`,
    orderBy: 'r.id desc',
    values: filters.map(({ value }) => value),
  })
  return {
    ...found,
    items: found.items.map(({ share_count, ...row }) => ({ ...presentFacts(row), share_count })),
  }
}

/** A resource's record with its shares. */
export async function getPermission(
  { em, caller }: Context,
  { permission_id }: PermissionRequest,
): Promise<ResourcePermissionResponse> {
  return present(em, await requireResource(em, caller, permission_id))
}
