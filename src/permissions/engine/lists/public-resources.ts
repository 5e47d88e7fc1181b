import {
  isInLiveTree,
  isInLiveWorkspace,
  isLiveResource,
  isLiveRoot,
} from '../../../database/deleted-rows.ts'
import type { Statements } from '../../../database/statement-pool.ts'
import type { Kind } from '../question.ts'
import { workspacesPerPage } from '../searches/search-lookups.ts'

/** The public resources, which everybody may view. */
export type PublicResources = {
  /**
   * Returns up to `workspacesPerPage` workspaces from `first` on, in order, that have public
   * resources of a service; only `workspaceId` if it is set. Returns none if the type does not allow
   * public resources.
   */
  listPublicWorkspaces(kind: Kind, first: string, workspaceId?: string): Promise<string[]>
  /** Returns the IDs of up to `limit` public resources of a workspace from `firstId` on, in order. */
  listPublic(kind: Kind, workspaceId: string, firstId: string, limit: number): Promise<string[]>
}

/** The kind of $1 and $2, if its declaration allows public resources. */
const publicKind = `
  select k.id, k.service_name from resource_kinds k join resource_types t on t.kind_id = k.id
  where k.service_name = $1 and k.resource_type = $2 and t.allow_public`

/**
 * $1 service name, $2 resource type, $3 first workspace, $4 the only workspace, or null. A resource
 * can inherit from a public one of any type of its service. Reads one row of the index for each
 * workspace and type, however many resources are public.
 */
const workspacesSql = `
with recursive kind as materialized (${publicKind}
), service_kind as materialized (
  select other.id from kind join resource_kinds other using (service_name)
), found as (
  select k.id, first.workspace_id from service_kind k cross join lateral (
    select workspace_id from resources
    where visibility = 'public' and kind_id = k.id and workspace_id >= $3
      and ($4::uuid is null or workspace_id = $4)
    order by kind_id, workspace_id limit 1
  ) first
  union all
  select found.id, next.workspace_id from found cross join lateral (
    select workspace_id from resources
    where visibility = 'public' and kind_id = found.id and workspace_id > found.workspace_id
      and $4::uuid is null
    order by kind_id, workspace_id limit 1
  ) next
)
select distinct workspace_id from found where ${isInLiveWorkspace('workspace_id')}
order by workspace_id limit ${workspacesPerPage}`

/** $1 service name, $2 resource type, $3 workspace, $4 first ID, $5 limit. */
const resourcesSql = `
with recursive kind as materialized (${publicKind}
), folder as (
  select r.id from kind join resource_kinds other using (service_name)
  join resources r on r.kind_id = other.id
  where r.is_parent and r.visibility = 'public' and r.workspace_id = $3
    and ${isLiveResource('r')}
  union
  select child.id from folder cross join lateral (
    select id from resources where parent_id = folder.id and is_parent and inherits
      and ${isLiveRoot('id')} offset 0
  ) child
)
select resource_id from (
  select own.resource_id from kind cross join lateral (
    select resource_id from resources
    where visibility = 'public' and kind_id = kind.id and workspace_id = $3 and resource_id >= $4
      and ${isLiveResource('resources')}
    order by resource_id limit $5
  ) own
  union
  select below.resource_id from kind cross join folder cross join lateral (
    select resource_id from resources
    where parent_id = folder.id and kind_id = kind.id and inherits and resource_id >= $4
      and ${isInLiveTree('kind_id', 'resource_id')}
    order by resource_id limit $5
  ) below
) page order by resource_id limit $5`

export function createPublicResources(statements: Statements): PublicResources {
  const read = async (name: string, sql: string, values: unknown[]) =>
    (await statements.rows<[string]>(name, sql, values)).map(([id]) => id)
  return {
    listPublicWorkspaces: ({ serviceName, resourceType }, first, workspaceId) =>
      read('public workspaces', workspacesSql, [serviceName, resourceType, first, workspaceId]),
    listPublic: ({ serviceName, resourceType }, workspaceId, firstId, limit) =>
      read('public resources', resourcesSql, [
        serviceName,
        resourceType,
        workspaceId,
        firstId,
        limit,
      ]),
  }
}
