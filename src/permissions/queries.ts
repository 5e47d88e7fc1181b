import type { ParentResource } from '../../gen/daikon/v1/permissions.ts'
import { insertEntriesFrom } from '../activity/record-activity.ts'
import type { BatchedQuery } from '../database/batched-query.ts'
import type { SharePermission, Visibility } from '../database/entities/resources.ts'
import type { Timestamp } from '../database/sql-values.ts'
import { chainCte, isLive } from './grants-query.ts'

/** A row of `resources` with the names of its kind. */
export type Resource = {
  id: string
  kind_id: number
  service_name: string
  resource_type: string
  resource_id: string
  external_id: string | null
  workspace_id: string
  owner_id: string
  visibility: Visibility
  created_at: Timestamp
  /** The `id` of the parent, from which the resource inherits grants if `inherits` is true. */
  parent_id: string | null
  inherits: boolean
  /** The type and IDs of the parent. Absent in rows returned by `registerResource`. */
  parent?: ParentResource | null
}

export type ShareRow = {
  id: string
  user_id: string | null
  group_id: string | null
  permission: SharePermission
  granted_by: string | null
  granted_at: Timestamp
  expires_at: Timestamp | null
}

/** The column of `shares` that holds the grantee. */
export type GranteeColumn = 'user_id' | 'group_id'

/**
 * The type and IDs of the parent of `r`. A subquery, because it costs almost nothing for resources
 * without a parent.
 */
const parentNames = `(
    select json_strip_nulls(json_build_object('resource_type', pk.resource_type,
      'resource_id', p.resource_id, 'external_id', p.external_id))
    from resources p join resource_kinds pk on pk.id = p.kind_id
    where p.id = r.parent_id
  ) as parent`

/**
 * Clauses that return a Resource. The join is a left join, which PostgreSQL removes from queries
 * that only count rows.
 */
export const resourceSql = {
  select: `r.*, k.service_name, k.resource_type, ${parentNames}`,
  from: 'resources r left join resource_kinds k on k.id = r.kind_id',
}

/** Item: `id`. Returns a Resource. */
export const resourceById: BatchedQuery = {
  name: 'resource',
  sql: `
    select item.index, ${resourceSql.select}
    from json_to_recordset($1) as item (index int, id uuid)
    join ${resourceSql.from} on r.id = item.id`,
}

/** Item: `service_name`, `resource_type`, `resource_id`. Returns a Resource. */
export const resourceByName: BatchedQuery = {
  name: 'resource_by_name',
  sql: `
    select item.index, r.*, service_name, resource_type, ${parentNames}
    from json_to_recordset($1) as item (
      index int, service_name text, resource_type text, resource_id uuid)
    join resource_kinds k using (service_name, resource_type)
    join resources r on r.kind_id = k.id and r.resource_id = item.resource_id`,
}

/** Item: `kind_id`, `resource_id`. Returns `shares`, oldest first. */
export const sharesOfResource: BatchedQuery = {
  name: 'shares_of_resource',
  sql: `
    select item.index, array_to_json(array(
      select row_to_json(s) from shares s
      where s.kind_id = item.kind_id and s.resource_id = item.resource_id and ${isLive('s')}
      order by s.id
    )) as shares
    from json_to_recordset($1) as item (index int, kind_id int, resource_id uuid)`,
}

/**
 * Item: the columns of the new row, with `service_name` and `resource_type` instead of `kind_id`,
 * and the `quota` of the workspace. Returns the inserted row, or only `is_over_quota` if the
 * workspace would exceed its quota. Returns no row if the resource already exists, its kind does
 * not exist, or its owner is not a member of the workspace.
 */
export const registerResource: BatchedQuery = {
  name: 'register',
  isWrite: true,
  sql: `
    with request as (
      select * from json_to_recordset($1) as request (
        index int, id uuid, service_name text, resource_type text, resource_id uuid,
        external_id text, workspace_id uuid, owner_id uuid, visibility text, parent_id uuid,
        is_parent boolean, quota bigint)
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
          is_parent)
      select i.id, k.id, i.resource_id, i.external_id, m.workspace_id, m.user_id, i.visibility,
        i.parent_id, coalesce(i.is_parent, false)
      from item i
      join resource_kinds k using (service_name, resource_type)
      join members m on m.workspace_id = i.workspace_id and m.user_id = i.owner_id
      where not i.is_over_quota
      order by k.id, i.resource_id
      on conflict (kind_id, resource_id) do nothing
      returning *
    )
    select item.index, item.is_over_quota, inserted.*
    from item left join inserted using (id)
    where item.is_over_quota or inserted.id is not null`,
}

/**
 * $1 items with `service_name` and `resource_type`. Inserts the kinds that do not exist. Sorts them
 * so that concurrent calls do not deadlock. Filters out existing kinds first, because a conflicting
 * insert consumes an identity value.
 */
export const insertKindsSql = `
  insert into resource_kinds (service_name, resource_type)
  select distinct service_name, resource_type
  from json_to_recordset($1::json) as item (service_name text, resource_type text)
  where not exists (
    select from resource_kinds k
    where k.service_name = item.service_name and k.resource_type = item.resource_type
  )
  order by service_name, resource_type
  on conflict do nothing`

/**
 * $1 items with `index`, `workspace_id` and `owner_id`. Returns the `index` of each item whose
 * owner is not a member of the workspace, and `workspace_exists`.
 */
export const missingOwnersSql = `
  select item.index, exists (
    select from workspaces w where w.id = item.workspace_id
  ) as workspace_exists
  from json_to_recordset($1::json) as item (index int, workspace_id uuid, owner_id uuid)
  where not exists (
    select from members m where m.workspace_id = item.workspace_id and m.user_id = item.owner_id
  )
  order by item.index`

/**
 * Item: `parent_id`, `user_id`. Returns `owns`: whether the user owns the parent or an ancestor
 * that it inherits from.
 */
export const ancestorOwner: BatchedQuery = {
  name: 'ancestor_owner',
  sql: `
    select item.index, (
      with recursive ${chainCte('from resources r where r.id = item.parent_id')}
      select exists (select from chain where owner_id = item.user_id)
    ) as owns
    from json_to_recordset($1) as item (index int, parent_id uuid, user_id uuid)`,
}

/**
 * $1 ID, $2 ID of the new owner. Changes the owner and returns `from`, the previous one. Returns no
 * row if the user already owns the resource or is not a member of the workspace.
 */
export const changeOwnerSql = `
  update resources set owner_id = $2
  from (select id, owner_id, workspace_id from resources where id = $1 for update) before
  where resources.id = before.id and before.owner_id <> $2
    and exists (
      select from members m where m.workspace_id = before.workspace_id and m.user_id = $2
    )
  returning before.owner_id as "from"`

/** $1 ID. */
export const deleteResourceSql = 'delete from resources where id = $1'

/** $1 IDs of resources. Returns the number of unexpired shares of each resource that has any. */
export const countSharesSql = `
  select r.id, count(*)::int as count
  from resources r join shares s on s.kind_id = r.kind_id and s.resource_id = r.resource_id
  where r.id = any($1::uuid[]) and ${isLive('s')} group by r.id`

/**
 * Inserts or replaces a share and records the change. Returns a ShareRow, or only `is_over_quota`
 * if a new share would exceed the `quota` of the resource. Returns no row if the existing share has
 * expired but has not been deleted yet.
 */
export const shareQueries: Record<GranteeColumn, BatchedQuery> = {
  user_id: createShareQuery('user_id'),
  group_id: createShareQuery('group_id'),
}

/**
 * $1 limit, $2 kind ID and $3 resource ID, or null for all resources. Deletes expired shares and
 * returns them with the names, workspace and `id` of their resources. Skips shares that another
 * transaction has locked.
 */
export const deleteExpiredSharesSql = `
  with expired as (
    delete from shares where id in (
      select id from shares
      where expires_at <= statement_timestamp()
        and ($2::int is null or kind_id = $2 and resource_id = $3::uuid)
      order by expires_at limit $1 for update skip locked
    )
    returning *
  )
  select r.id, r.workspace_id, k.service_name, k.resource_type, r.resource_id, s.user_id, s.group_id,
    s.permission, s.expires_at
  from expired s join resources r using (kind_id, resource_id) join resource_kinds k on k.id = r.kind_id`

/** $1 kind ID, $2 resource ID, $3 ID of the grantee. Returns the `permission` that was revoked. */
export const deleteShareSql: Record<GranteeColumn, string> = {
  user_id: createDeleteShareSql('user_id'),
  group_id: createDeleteShareSql('group_id'),
}

/**
 * $1 service name, $2 JSON array of `id`, `name`, `description`. Inserts actions or updates their
 * descriptions, and returns `id` and `name` of those that changed. Sorts them so that concurrent
 * calls do not deadlock.
 */
export const upsertActionsSql = `
  insert into service_actions as existing (id, service_name, name, description)
  select id, $1, name, description
  from jsonb_to_recordset($2::jsonb) as item (id uuid, name text, description text)
  order by name
  on conflict (service_name, name) do update set description = excluded.description
  where existing.description <> excluded.description
  returning id, name`

/** $1 service name, or null for the actions of all services. */
export const listActionsSql = `
  select service_name, id, name, description, registered_at from service_actions
  where $1::text is null or service_name = $1
  order by service_name, name`

/**
 * $1 service name, $2 user ID, $3 workspace ID. Returns the names of the actions that custom roles
 * grant the user.
 */
export const grantedActionsSql = `
  select name from service_actions a
  where service_name = $1 and exists (
    select from custom_role_actions ra
    join custom_role_members rm on rm.role_id = ra.role_id
    where ra.service_action_id = a.id and rm.user_id = $2 and rm.workspace_id = $3
  )
  order by name`

function createShareQuery(grantee: GranteeColumn): BatchedQuery {
  return {
    name: `share_${grantee}`,
    isWrite: true,
    sql: `
      with request as (
        select * from json_to_recordset($1) as request (
          index int, id uuid, kind_id int, resource_id uuid, workspace_id uuid, grantee_id uuid,
          permission text, granted_by uuid, expires_at timestamptz, entry json, quota bigint)
      ), usage as materialized (
        select kind_id, resource_id, count, known from (
          select kind_id, resource_id, quota, array_agg(grantee_id) as grantees from request
          group by kind_id, resource_id, quota order by kind_id, resource_id
        ) resource cross join lateral count_shares_for_quota(kind_id, resource_id, grantees, quota)
      ), checked as materialized (
        select request.*, grantee_id <> all (known) and usage.count + count(*)
            filter (where grantee_id <> all (known))
            over (partition by kind_id, resource_id order by index) > quota as is_over_quota
        from request join usage using (kind_id, resource_id)
      ), item as (
        select * from checked where not is_over_quota
      ), changed as (
        insert into shares (
          id, kind_id, resource_id, workspace_id, ${grantee}, permission, granted_by, expires_at)
        select id, kind_id, resource_id, workspace_id, grantee_id, permission, granted_by, expires_at
        from item
        order by kind_id, resource_id, grantee_id
        on conflict (${grantee}, workspace_id, kind_id, resource_id) where ${grantee} is not null
        do update set permission = excluded.permission, granted_by = excluded.granted_by,
          granted_at = excluded.granted_at, expires_at = excluded.expires_at
        where ${isLive('shares')}
        returning *
      ), result as (
        select item.index, item.entry, changed.id, user_id, group_id, changed.permission,
          changed.granted_by, granted_at, changed.expires_at
        from changed join item
          on item.kind_id = changed.kind_id and item.resource_id = changed.resource_id
          and item.grantee_id = changed.${grantee}
      ), entries as (${insertEntriesFrom('result')})
      select index, is_over_quota, result.id, user_id, group_id, result.permission,
        result.granted_by, granted_at, result.expires_at
      from checked left join result using (index)
      where is_over_quota or result.id is not null`,
  }
}

function createDeleteShareSql(grantee: GranteeColumn): string {
  return `
    delete from shares
    where kind_id = $1 and resource_id = $2 and ${grantee} = $3 and ${isLive('shares')}
    returning permission`
}
