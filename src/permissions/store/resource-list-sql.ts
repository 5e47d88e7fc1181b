import { isLiveResource } from '../../database/deleted-rows.ts'
import { createFilters, type Filters } from '../../database/filters.ts'
import { beginsWith, escapePattern } from '../../database/search.ts'
import { isLive } from '../engine/grants/live-share.ts'
import { type Resource, resourceColumnNames, selectResource } from './resource-sql.ts'
import { type InheritedVisibility, widerVisibility } from './visibility-sql.ts'

/** What the resources of a list have in common. Undefined members do not restrict the list. */
export type ResourceFilter = {
  workspaceId?: string | undefined
  kindIds?: number[] | undefined
  resourceId?: string | undefined
  /** Lists resources with any of these IDs. */
  resourceIds?: string[] | undefined
  ownerId?: string | undefined
  visibility?: string | undefined
  /** A user or group with whom the resource is shared. */
  granteeId?: string | undefined
  /** Whether `granteeId` also stands for the groups of this user, direct and inherited. */
  throughGroups?: boolean | undefined
  /** The beginning of the external ID, regardless of case and accents. */
  q?: string | undefined
}

/**
 * The maximum number of resources that a list counts and shows.
 * See docs/decisions/lists.md#lists-of-permission-records.
 */
export const maxListed = 10_000

/** Whether rows of deleted workspaces or trees have not been swept yet. */
export const hasDeletedRowsSql = `
  select exists (select from deleted_workspaces) or exists (select from deleted_trees) as "hasDeleted"`

/** A resource of a list. `widerVisibility` is null unless an ancestor's is wider than its own. */
export type ListedResource = Resource & { widerVisibility: InheritedVisibility | null }

/** The statements of a list. `values` are the values of the placeholders. */
export type ResourceListSql = {
  values: unknown[]
  /** Returns `total`, at most `maxListed`. */
  count: string
  /** Returns a page of ListedResources, newest first. Two more values follow: the limit and the offset. */
  page: string
}

/**
 * Creates the statements of a list. Each reads one index, in order and for a bounded number of rows,
 * whatever the filter: without an order that only this index has, the planner may read the primary
 * key backward and find the first match after millions of rows. Rows are compared where
 * equality would leave the order of the primary key.
 *
 * `hidesDeleted` adds the conditions on deleted rows, which prevent index-only scans.
 */
export function createResourceListSql(
  filter: ResourceFilter,
  { hidesDeleted }: { hidesDeleted: boolean },
): ResourceListSql {
  const filters = createFilters()
  // `selectIds` adds these conditions itself where it reads the index kind by kind.
  if (!isReadByKind(filter)) {
    filters.add(filter.workspaceId, (value) => `r.workspace_id = ${value}`)
    filters.add(filter.kindIds, (value) => `r.kind_id = any(${value}::int[])`)
    filters.add(filter.visibility, (value) => `r.visibility = ${value}`)
  }
  filters.add(filter.resourceIds, (value) => `r.resource_id = any(${value}::uuid[])`)
  filters.add(filter.resourceId, (value) => `r.resource_id = ${value}`)
  const prefix = filter.q === undefined ? undefined : `${escapePattern(filter.q)}%`
  filters.add(prefix, (value) => beginsWith('r.external_id', value))
  filters.add(filter.ownerId, (value) => `r.owner_id = ${value}`)
  if (hidesDeleted) filters.require(isLiveResource('r'))
  const select = selectIds(filter, filters)
  const { values } = filters
  const [limit, offset] = [`$${values.length + 1}::int`, `$${values.length + 2}::int`]
  return {
    values,
    // The planner does not know the limit of a subquery, so it prepares for a part of the rows, and
    // reads the index in order. To read all rows, it would sort them.
    count: `select count(*)::int as total from (
      select from (${select(`(select ${maxListed})`)}) found limit ${maxListed}
    ) counted`,
    // Reads only the resources of the page, not those that the offset skips.
    page: `select ${selectResource}, ${widerVisibility} as "widerVisibility"
      from (
        select id from (${select(`${limit} + ${offset}`)}) found
        order by id desc limit ${limit} offset ${offset}
      ) page
      cross join lateral (select ${resourceColumnNames} from resources where id = page.id offset 0) r
      left join resource_kinds k on k.id = r.kind_id
      order by r.id desc`,
  }
}

/** Whether a list has no filter that selects fewer resources than kind, workspace and visibility. */
function isReadByKind({ resourceId, resourceIds, granteeId, ownerId, q }: ResourceFilter): boolean {
  return [resourceId, resourceIds, granteeId, ownerId, q].every((value) => value === undefined)
}

const lowest = `'00000000-0000-0000-0000-000000000000'::uuid`
const highest = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`

/** Returns a function that returns SQL for the IDs of up to `limit` resources, the newest ones. */
function selectIds(filter: ResourceFilter, filters: Filters): (limit: string) => string {
  const { values } = filters
  const add = (value: unknown, type: string) => {
    values.push(value)
    return `$${values.length}::${type}`
  }
  if (filter.resourceId !== undefined || filter.resourceIds !== undefined) {
    if (filter.kindIds === undefined)
      filters.require('r.kind_id = any(array(select id from resource_kinds))')
    return () => `select r.id from resources r ${filters.where()}`
  }
  if (filter.granteeId !== undefined) {
    const grantee = add(filter.granteeId, 'uuid')
    filters.require('r.kind_id = s.kind_id and r.resource_id = s.resource_id')
    const sharesWith = (condition: string) =>
      `select kind_id, resource_id from shares where ${condition} and ${isLive('shares')}`
    const ofGroups = `union
        ${sharesWith(`group_id in (select group_id from group_members where user_id = ${grantee})`)}`
    // Of more shares than the list shows, those that the index returns first.
    return () => `select r.id from (
        ${sharesWith(`user_id = ${grantee}`)}
        union all
        ${sharesWith(`group_id = ${grantee}`)}
        ${filter.throughGroups ? ofGroups : ''}
      ) s cross join lateral (select r.id from resources r ${filters.where()} offset 0) r
      limit ${maxListed}`
  }
  if (filter.ownerId !== undefined) {
    const owner = add(filter.ownerId, 'uuid')
    const order = 'r.owner_id desc, r.id desc'
    return (limit) => `select r.id from resources r ${filters.where()}
      and (r.owner_id, r.id) >= (${owner}, ${lowest}) and (r.owner_id, r.id) <= (${owner}, ${highest})
      order by ${order} limit ${limit}`
  }
  if (filter.q !== undefined)
    return () => `select r.id from resources r ${filters.where()} limit ${maxListed}`
  const { workspaceId, kindIds, visibility } = filter
  if ([workspaceId, kindIds, visibility].every((value) => value === undefined))
    return (limit) =>
      `select r.id from resources r ${filters.where()} order by r.id desc limit ${limit}`
  const kinds = kindIds ? `unnest(${add(kindIds, 'int[]')}) kind(id)` : 'resource_kinds kind'
  const visibilities = visibility
    ? add([visibility], 'text[]')
    : `array['private', 'workspace', 'public']`
  if (workspaceId) filters.require(`r.workspace_id = ${add(workspaceId, 'uuid')}`)
  filters.require('r.kind_id = kind.id')
  filters.require(`(r.visibility, r.id) >= (v.name, ${lowest})`)
  filters.require(`(r.visibility, r.id) <= (v.name, ${highest})`)
  return (limit) => `select r.id from ${kinds} cross join unnest(${visibilities}) v(name)
      cross join lateral (
        select r.id from resources r ${filters.where()}
        order by r.visibility desc, r.id desc limit ${limit}
      ) r`
}
