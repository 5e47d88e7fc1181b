import type { EntityManager } from '@mikro-orm/postgresql'
import type { Actor } from '../../activity/actor.ts'
import {
  createEntrySource,
  entrySource,
  entrySourceColumns,
  insertEntriesFrom,
} from '../../activity/store/entries-sql.ts'
import { newId } from '../../core/new-id.ts'
import { type BatchedQuery, batched } from '../../database/batched-query.ts'
import { isLiveResource } from '../../database/deleted-rows.ts'
import type { Visibility } from '../../database/entities/resources.ts'
import { query } from '../../database/query.ts'
import type { Nullable } from '../../database/sql-values.ts'
import type { Kind } from '../engine/question.ts'
import { permissionEvents } from '../events.ts'
import {
  type Attributes,
  type Resource,
  type ResourceColumns,
  type ResourceKey,
  resourceByKey,
  resourceColumnNames,
  resourceColumns,
  toWireKey,
} from './resource-sql.ts'

/** A resource to insert. */
export type NewResource = ResourceKey & {
  /** Generated if absent. */
  id?: string
  externalId: string | undefined
  workspaceId: string
  ownerId: string
  visibility: Visibility
  attributes: Attributes | undefined
  displayName: string | undefined
  parentId?: string | undefined
  parent?: ResourceKey | undefined
  /** Whether other resources that are inserted with this one have it as their parent. */
  isParent?: boolean
}

/** The position of a resource in a call, from 0. */
type Indexed = { index: number }

/** An item whose owner is not a member of its workspace. */
export type MissingOwner = Indexed & { workspaceExists: boolean }

/** Inserts resources and records that. `maxResources` is the quota of each workspace. */
export class RegistrationStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Inserts a resource without a parent, in a statement that concurrent callers share and that is
   * committed independently of the transaction. Returns undefined if the resource already exists,
   * its kind does not exist, or its owner is not a member of the workspace.
   */
  async insert(
    resource: NewResource,
    maxResources: number,
    actor: Actor,
  ): Promise<Resource | 'over_quota' | undefined> {
    type Row = Nullable<ResourceColumns & { isOverQuota: boolean }>
    const row = await batched<Row>(
      this.#em,
      insertResource,
      insertItem(resource, maxResources, actor),
    )
    if (!row) return undefined
    const { isOverQuota, ...columns } = row
    if (isOverQuota) return 'over_quota'
    const inserted = columns as ResourceColumns
    const { serviceName, resourceType } = resource
    return { ...inserted, serviceName, resourceType, parent: null, isRestricted: true }
  }

  /** Inserts resources whose kinds exist. Returns the number of those that `insert` would return. */
  async insertAll(resources: NewResource[], maxResources: number, actor: Actor): Promise<number> {
    const items = resources.map((resource) => insertItem(resource, maxResources, actor))
    const rows = await query<{ count: number }>(this.#em, insertAllSql, [JSON.stringify(items)])
    return rows[0]?.count ?? 0
  }

  /**
   * Gives the rows of deleted resources that have not been swept yet other IDs, so that new resources
   * can have theirs. Returns whether there were any.
   */
  async releaseKeys(keys: ResourceKey[]): Promise<boolean> {
    const items = JSON.stringify(keys.map(toWireKey))
    const released = await query<{ id: string }>(this.#em, deletedResourcesSql, [items])
    const ids = released.map(({ id }) => id)
    if (ids.length === 0) return false
    await query(this.#em, deleteSharesSql, [ids])
    await query(this.#em, replaceIdsSql, [ids])
    return true
  }

  /** Collects the statistics of the planner after an import, which autovacuum does minutes later. */
  async analyze(): Promise<void> {
    await query(this.#em, 'analyze resources')
  }

  /** Inserts the kinds of resources that do not exist. */
  async insertKinds(kinds: Kind[]): Promise<void> {
    const items = kinds.map(({ serviceName, resourceType }) => ({ serviceName, resourceType }))
    await query(this.#em, insertKindsSql, [JSON.stringify(items)])
  }

  /** Returns the resources that exist, by index. */
  async find(keys: (ResourceKey & Indexed)[]): Promise<Map<number, Resource>> {
    const items = keys.map((key) => ({ ...toWireKey(key), index: key.index }))
    const rows = await query<Resource & Indexed>(this.#em, resourceByKey.sql, [
      JSON.stringify(items),
    ])
    return new Map(rows.map(({ index, ...resource }) => [index, resource]))
  }

  /** Returns the items whose owner is not a member of the workspace, by index. */
  findMissingOwners(
    items: (Indexed & { workspaceId: string; ownerId: string })[],
  ): Promise<MissingOwner[]> {
    const values = items.map(({ index, workspaceId, ownerId }) => ({
      index,
      workspace_id: workspaceId,
      owner_id: ownerId,
    }))
    return query(this.#em, missingOwnersSql, [JSON.stringify(values)])
  }
}

function insertItem(resource: NewResource, quota: number, actor: Actor) {
  const { parent } = resource
  return {
    ...toWireKey(resource),
    ...createEntrySource(actor),
    id: resource.id ?? newId(),
    parent: parent ? `${parent.resourceType}/${parent.resourceId}` : 'none',
    external_id: resource.externalId,
    workspace_id: resource.workspaceId,
    owner_id: resource.ownerId,
    visibility: resource.visibility,
    attributes: resource.attributes,
    display_name: resource.displayName,
    parent_id: resource.parentId,
    is_parent: resource.isParent,
    quota,
  }
}

/**
 * $1 items with the columns of the new row, with `service_name` and `resource_type` instead of `kind_id`, the `quota` of
 * the workspace, and the `parent` and the source of the activity entry. Inserts those that are new, have a kind and an
 * owner who is a member, and do not exceed the quota.
 */
const insertedSql = `
    with request as (
      select * from json_to_recordset($1) as request (
        index int, id uuid, service_name text, resource_type text, resource_id uuid,
        external_id text, workspace_id uuid, owner_id uuid, visibility text, parent_id uuid,
        is_parent boolean, attributes json, display_name text, quota bigint, parent text, ${entrySourceColumns})
    ), usage as materialized (
      select workspace_id, count_resources_for_quota(workspace_id, quota) as count from (
        select workspace_id, min(quota) as quota from request
        group by workspace_id order by workspace_id
      ) workspace
    ), item as materialized (
      select request.*, usage.count + row_number() over (partition by workspace_id) > quota
        as is_over_quota
      from request join usage using (workspace_id)
    ), inserted as (
      insert into resources
        (id, kind_id, resource_id, external_id, workspace_id, owner_id, visibility, parent_id,
          is_parent, attributes, display_name)
      select i.id, k.id, i.resource_id, i.external_id, m.workspace_id, m.user_id, i.visibility,
        i.parent_id, coalesce(i.is_parent, false), i.attributes, i.display_name
      from item i
      join resource_kinds k using (service_name, resource_type)
      join live_members m on m.workspace_id = i.workspace_id and m.user_id = i.owner_id
      where not i.is_over_quota
      order by k.id, i.resource_id
      on conflict (kind_id, resource_id) do nothing
      returning ${resourceColumnNames}
    ), result as (
      select ${entrySource}, inserted.id as target_id, inserted.workspace_id, jsonb_build_object(
          'service_name', item.service_name, 'resource_type', item.resource_type,
          'resource_id', inserted.resource_id, 'owner_id', inserted.owner_id,
          'visibility', inserted.visibility, 'parent', item.parent) as detail
      from inserted join item using (id)
    ), entries as (${insertEntriesFrom('result', permissionEvents, 'permission.registered')})`

/**
 * | Result             | When                                                                          |
 * | ------------------ | ----------------------------------------------------------------------------- |
 * | the inserted row   | the resource is new                                                           |
 * | only `isOverQuota` | the workspace would exceed its quota                                          |
 * | no row             | the resource exists, its kind does not, or its owner is not a member          |
 */
const insertResource: BatchedQuery = {
  name: 'register',
  isWrite: true,
  sql: `${insertedSql}
    select item.index, item.is_over_quota as "isOverQuota", ${resourceColumns('inserted')}
    from item left join inserted using (id)
    where item.is_over_quota or inserted.id is not null`,
}

/** Returns the number of inserted rows. */
const insertAllSql = `${insertedSql}
    select count(*)::int as count from inserted`

/**
 * $1 JSON array of Kind. Inserts the kinds that do not exist. Sorts them
 * so that concurrent calls do not deadlock. Filters out existing kinds first, because a conflicting
 * insert consumes an identity value.
 */
const insertKindsSql = `
  insert into resource_kinds (service_name, resource_type)
  select distinct "serviceName", "resourceType"
  from json_to_recordset($1::json) as item ("serviceName" text, "resourceType" text)
  where not exists (
    select from resource_kinds k
    where k.service_name = item."serviceName" and k.resource_type = item."resourceType"
  )
  order by "serviceName", "resourceType"
  on conflict do nothing`

/** $1 items with `service_name`, `resource_type` and `resource_id`. Locks and returns deleted resources. */
const deletedResourcesSql = `
  select r.id
  from json_to_recordset($1::json) as item (service_name text, resource_type text, resource_id uuid)
  join resource_kinds k using (service_name, resource_type)
  join resources r on r.kind_id = k.id and r.resource_id = item.resource_id
  where not (${isLiveResource('r')})
  order by r.id for update of r`

/** $1 IDs of resources. */
const deleteSharesSql = `
  delete from shares s using resources r
  where r.id = any($1::uuid[]) and s.kind_id = r.kind_id and s.resource_id = r.resource_id`

/** $1 IDs of resources. */
const replaceIdsSql =
  'update resources set resource_id = gen_random_uuid() where id = any($1::uuid[])'

/** $1 items with `index`, `workspace_id` and `owner_id`. Returns a MissingOwner for each such item. */
const missingOwnersSql = `
  select item.index, exists (
    select from workspaces w where w.id = item.workspace_id
  ) as "workspaceExists"
  from json_to_recordset($1::json) as item (index int, workspace_id uuid, owner_id uuid)
  where not exists (
    select from live_members m where m.workspace_id = item.workspace_id and m.user_id = item.owner_id
  )
  order by item.index`
