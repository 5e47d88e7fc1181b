import type { ParentResource } from '../../../gen/daikon/v1/permissions.ts'
import type { BatchedQuery } from '../../database/batched-query.ts'
import { isLiveResource } from '../../database/deleted-rows.ts'
import type { Visibility } from '../../database/entities/resources.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import { chainCte } from '../engine/chain.ts'
import type { Kind } from '../engine/question.ts'
import { isRestricted } from '../engine/statements/requirements.ts'

/** The service, type and ID that identify a resource. */
export type ResourceKey = Kind & { resourceId: string }

/** A JSON object that a service stores about a resource. */
export type Attributes = Record<string, unknown>

/** A registered resource. */
export type Resource = ResourceKey & {
  id: string
  kindId: number
  externalId: string | null
  workspaceId: string
  ownerId: string
  visibility: Visibility
  createdAt: Timestamp
  /** The ID of the parent, from which the resource inherits grants if `inherits` is true. */
  parentId: string | null
  inherits: boolean
  /** The type and IDs of the parent. */
  parent: ParentResource | null
  /** What conditions may read about the resource. */
  attributes: Attributes | null
  /** The name of the resource for people. */
  displayName: string | null
  /** Whether actions on the resource may require conditions. */
  isRestricted: boolean
}

/** The columns of `resources` in a Resource. */
export type ResourceColumns = Omit<
  Resource,
  'serviceName' | 'resourceType' | 'parent' | 'isRestricted'
>

/** Returns the key alone of a resource. */
export function keyOf({ serviceName, resourceType, resourceId }: ResourceKey): ResourceKey {
  return { serviceName, resourceType, resourceId }
}

/** Returns a key with the names of its columns, which messages and activity entries also use. */
export function toWireKey({ serviceName, resourceType, resourceId }: ResourceKey) {
  return { service_name: serviceName, resource_type: resourceType, resource_id: resourceId }
}

/** The columns that `resourceColumns` selects. */
export const resourceColumnNames =
  'id, kind_id, resource_id, external_id, workspace_id, owner_id, visibility, created_at, parent_id, inherits, attributes, display_name'

/** Selects the ResourceColumns of the row `row` of `resources`. */
export function resourceColumns(row: string): string {
  return `${row}.id, ${row}.kind_id as "kindId", ${row}.resource_id as "resourceId",
    ${row}.external_id as "externalId", ${row}.workspace_id as "workspaceId",
    ${row}.owner_id as "ownerId", ${row}.visibility, ${row}.created_at as "createdAt",
    ${row}.parent_id as "parentId", ${row}.inherits, ${row}.attributes,
    ${row}.display_name as "displayName"`
}

/**
 * Selects a Resource from `resources r` and `resource_kinds k`. The parent is a subquery, because
 * that costs almost nothing for resources without a parent.
 */
export const selectResource = `${resourceColumns('r')},
    k.service_name as "serviceName", k.resource_type as "resourceType", (
      select json_strip_nulls(json_build_object('resource_type', pk.resource_type,
        'resource_id', p.resource_id, 'external_id', p.external_id))
      from resources p join resource_kinds pk on pk.id = p.kind_id
      where p.id = r.parent_id
    ) as parent, ${isRestricted({ kindId: 'r.kind_id', service: 'k.service_name' })} as "isRestricted"`

/** Item: `id`. Returns a Resource. */
export const resourceById: BatchedQuery = {
  name: 'resource',
  sql: `
    select item.index, ${selectResource}
    from json_to_recordset($1) as item (index int, id uuid)
    join resources r on r.id = item.id and ${isLiveResource('r')}
    left join resource_kinds k on k.id = r.kind_id`,
}

/** Item: `service_name`, `resource_type`, `resource_id`. Returns a Resource. */
export const resourceByKey: BatchedQuery = {
  name: 'resource_by_name',
  sql: `
    select item.index, ${selectResource}
    from json_to_recordset($1) as item (
      index int, service_name text, resource_type text, resource_id uuid)
    join resource_kinds k using (service_name, resource_type)
    join resources r on r.kind_id = k.id and r.resource_id = item.resource_id
      and ${isLiveResource('r')}`,
}

/** $1 ID. Returns a Resource for each ancestor that a resource inherits from, nearest first. */
export const ancestorsSql = `
  with recursive ${chainCte('from resources r where r.id = $1')}
  select ${selectResource}
  from chain join resources r using (id) join resource_kinds k on k.id = r.kind_id
  where chain.depth > 1 order by chain.depth`
