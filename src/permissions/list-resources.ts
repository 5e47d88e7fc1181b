import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  PermissionPage,
  PermissionPageRequest,
  PermissionRequest,
} from '../../gen/daikon/v1/admin_permissions.ts'
import type { ResourcePermissionResponse } from '../../gen/daikon/v1/permissions.ts'
import type { RequestContext } from '../core/request-context.ts'
import { ResourceKind } from '../database/entities/resources.ts'
import { findPage } from '../database/page.ts'
import { type Resource, requireResource, resourceSql, viewFacts, viewResource } from './resource.ts'

type Filter = { sql: string; values: unknown[] }

/** Resources of every service, the newest first; a filter that nothing meets finds nothing. */
export async function listPermissions(
  { em }: RequestContext,
  { workspace_id, service_name, ...page }: PermissionPageRequest,
): Promise<PermissionPage> {
  const filters: Filter[] = [
    ...(workspace_id === undefined ? [] : [{ sql: 'r.workspace_id = ?', values: [workspace_id] }]),
    ...(service_name === undefined ? [] : [await ofService(em, service_name)]),
  ]
  const where = filters.length > 0 ? `where ${filters.map(({ sql }) => sql).join(' and ')}` : ''
  const found = await findPage<Resource>(em, page, {
    select: resourceSql.select,
    from: `${resourceSql.from} ${where}`,
    orderBy: 'r.id desc',
    values: filters.flatMap(({ values }) => values),
  })
  const counts = await countShares(em, found.items)
  return {
    ...found,
    items: found.items.map((row) => ({
      ...viewFacts(row),
      share_count: counts.get(row.id) ?? 0,
    })),
  }
}

/** Of kinds by their numbers: only those have statistics that tell whether a service is a rare one. */
async function ofService(em: EntityManager, service_name: string): Promise<Filter> {
  const kinds = await em.find(ResourceKind, { service_name })
  if (kinds.length === 0) return { sql: 'false', values: [] }
  const values = kinds.map(({ id }) => id)
  return { sql: `r.kind_id in (${values.map(() => '?').join(', ')})`, values }
}

/** Apart from the list, which would count for the pages before as well. */
async function countShares(em: EntityManager, page: Resource[]): Promise<Map<string, number>> {
  if (page.length === 0) return new Map()
  const rows = await em.execute<{ id: string; count: number }[]>(
    `select r.id, count(*)::int as count
     from resources r join shares s on s.kind_id = r.kind_id and s.resource_id = r.resource_id
     where r.id in (${page.map(() => '?').join(', ')}) group by r.id`,
    page.map(({ id }) => id),
  )
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** A resource's record with its shares. */
export async function getPermission(
  { em, principal }: RequestContext,
  { permission_id }: PermissionRequest,
): Promise<ResourcePermissionResponse> {
  return viewResource(em, await requireResource(em, principal, permission_id))
}
