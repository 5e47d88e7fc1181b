import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  PermissionPage,
  PermissionPageRequest,
  PermissionRequest,
} from '../../gen/daikon/v1/admin_permissions.ts'
import type {
  GetResourceRequest,
  ResourcePermissionResponse,
} from '../../gen/daikon/v1/permissions.ts'
import type { RequestContext } from '../core/request-context.ts'
import { ResourceKind } from '../database/entities/resources.ts'
import { createFilters } from '../database/filters.ts'
import { findPage } from '../database/page.ts'
import { query } from '../database/query.ts'
import { resolveResourceId } from './evaluate/resource-id.ts'
import { isLive } from './grants-query.ts'
import { countSharesSql, type Resource, resourceSql } from './queries.ts'
import {
  findResource,
  requireResource,
  resourceNotFound,
  viewFacts,
  viewResource,
} from './resource.ts'

/** Lists the resources of all services, newest first. Unknown filter values match nothing. */
export async function listPermissions(
  { em }: RequestContext,
  request: PermissionPageRequest,
): Promise<PermissionPage> {
  const { service_name, resource_type, ...rest } = request
  const { workspace_id, resource_id, external_id, owner_id, visibility, grantee_id, ...page } = rest
  const filters = createFilters()
  filters.add(workspace_id, (placeholder) => `r.workspace_id = ${placeholder}`)
  const isFilteredByKind = [service_name, resource_type, external_id].some(isDefined)
  if (isFilteredByKind) {
    const kinds = await findKinds(em, { service_name, resource_type })
    filters.add(
      kinds.map(({ id }) => id),
      (placeholder) => `r.kind_id = any(${placeholder}::int[])`,
    )
    // External IDs are not indexed. Find the resource IDs that derive from it in each kind.
    filters.add(
      external_id && kinds.map((kind) => resolveResourceId(kind, { external_id })),
      (placeholder) => `r.resource_id = any(${placeholder}::uuid[])`,
    )
  }
  filters.add(resource_id, (placeholder) => `r.resource_id = ${placeholder}`)
  filters.add(owner_id, (placeholder) => `r.owner_id = ${placeholder}`)
  filters.add(visibility, (placeholder) => `r.visibility = ${placeholder}`)
  filters.add(
    grantee_id,
    (placeholder) => `(r.kind_id, r.resource_id) in (
    select kind_id, resource_id from shares where user_id = ${placeholder} and ${isLive('shares')}
    union all
    select kind_id, resource_id from shares where group_id = ${placeholder} and ${isLive('shares')})`,
  )
  const found = await findPage<Resource>(em, page, {
    select: resourceSql.select,
    from: `${resourceSql.from} ${filters.where()}`,
    orderBy: 'r.id desc',
    values: filters.values,
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

/**
 * Finds the kinds in a separate query, because statistics on their IDs let the planner estimate how
 * many resources match.
 */
function findKinds(
  em: EntityManager,
  {
    service_name,
    resource_type,
  }: { service_name?: string | undefined; resource_type?: string | undefined },
) {
  return em.find(ResourceKind, {
    ...(service_name !== undefined && { service_name }),
    ...(resource_type !== undefined && { resource_type }),
  })
}

function isDefined(value: unknown): boolean {
  return value !== undefined
}

/**
 * Counts shares in a separate query. A subquery of the list would also run for each row that the
 * offset skips.
 */
async function countShares(em: EntityManager, page: Resource[]): Promise<Map<string, number>> {
  if (page.length === 0) return new Map()
  const ids = page.map(({ id }) => id)
  const rows = await query<{ id: string; count: number }>(em, countSharesSql, [ids])
  return new Map(rows.map(({ id, count }) => [id, count]))
}

/** Returns a resource with its shares. */
export async function getPermission(
  { em, principal }: RequestContext,
  request: PermissionRequest,
): Promise<ResourcePermissionResponse> {
  return viewResource(em, await requireResource(em, principal, request))
}

/** Returns a resource, identified by service, type and resource ID, with its shares. */
export async function getResource(
  { em }: RequestContext,
  request: GetResourceRequest,
): Promise<ResourcePermissionResponse> {
  const resource = await findResource(em, request)
  if (!resource) throw resourceNotFound()
  return viewResource(em, resource)
}
