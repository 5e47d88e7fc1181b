import type { EntityManager } from '@mikro-orm/postgresql'
import { type Actor, userIdOf } from '../../activity/actor.ts'
import {
  type ActivityEvent,
  createEntrySource,
  entrySource,
  entrySourceColumns,
  insertEntriesFrom,
} from '../../activity/store/entries-sql.ts'
import { newId } from '../../core/new-id.ts'
import { type BatchedQuery, batched } from '../../database/batched-query.ts'
import { query } from '../../database/query.ts'
import type { Nullable, Timestamp } from '../../database/sql-values.ts'
import { barePermission, isLive } from '../engine/grants/live-share.ts'
import { permissionEvents } from '../events.ts'
import type { Resource, ResourceKey } from './resource-sql.ts'

/** A resource in the keys of `shares`. */
type SharedResource = Pick<Resource, 'kindId' | 'resourceId'>

export type Grantee = { type: 'user' | 'group'; id: string }

/** The condition of a share: its name, and the values of its parameters. */
export type ShareCondition = { name: string; params: Record<string, unknown> }

/** A condition, with the declared types of the parameters that the values have been validated by. */
export type CheckedCondition = ShareCondition & { parameters: Record<string, string> }

/** A share with a user or a group; the other ID is null. */
export type Share = {
  id: string
  userId: string | null
  groupId: string | null
  /** `view`, `edit` or the name of a role. */
  permission: string
  grantedBy: string | null
  grantedAt: Timestamp
  expiresAt: Timestamp | null
  condition: ShareCondition | null
}

/** A share to create, and the event that records it. */
export type NewShare = {
  resource: SharedResource & Pick<Resource, 'workspaceId'>
  grantee: Grantee
  /** `view`, `edit` or the name of a role of the resource type. */
  permission: string
  condition: CheckedCondition | undefined
  expiresAt: string | undefined
  actor: Actor
  event: ActivityEvent<'permission.shared'>
}

/** A deleted share, with `id`, the names and the workspace of its resource. */
export type ExpiredShare = ResourceKey &
  Pick<Resource, 'id' | 'workspaceId'> &
  Pick<Share, 'userId' | 'groupId' | 'permission'> & { expiresAt: Timestamp }

/** The share, or why it has not been granted. */
export type GrantResult =
  | Share
  /** The resource would have more shares than allowed. */
  | 'over_quota'
  /** The type of the resource has no role with the name of the permission. */
  | 'role_unknown'
  /** The type has no such condition, or its parameters have other types than when it was read. */
  | 'condition_changed'
  /** A share exists that has expired and must be deleted first (`deleteExpired`). */
  | 'expired'

/** The shares of resources with users and groups. Methods that read shares skip expired ones. */
export class ShareStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Inserts a share or replaces the permission, condition and expiry of an existing one, and records
   * the event, in a statement that concurrent callers share and that is committed independently of
   * the transaction.
   *
   * @throws the foreign-key error of PostgreSQL if the grantee is not in the workspace
   */
  async grant(newShare: NewShare, maxShares: number): Promise<GrantResult> {
    const sql = grantQueries[newShare.grantee.type]
    return readGrant(await batched<GrantRow>(this.#em, sql, grantItem(newShare, maxShares)))
  }

  /** Grants shares of different resources or grantees, like `grant`, in the transaction. */
  async grantAll(newShares: NewShare[], maxShares: number): Promise<GrantResult[]> {
    const items = newShares.map((newShare, index) => ({ ...grantItem(newShare, maxShares), index }))
    const rows = new Map<number, GrantRow>()
    for (const type of ['user', 'group'] as const) {
      const ofType = items.filter(({ index }) => newShares[index]?.grantee.type === type)
      if (ofType.length === 0) continue
      const values = [JSON.stringify(ofType)]
      const { sql } = grantQueries[type]
      for (const { index, ...row } of await query<GrantRow & { index: number }>(
        this.#em,
        sql,
        values,
      ))
        rows.set(index, row)
    }
    return newShares.map((_, index) => readGrant(rows.get(index)))
  }

  /** Collects the statistics of the planner after an import, which autovacuum does minutes later. */
  async analyze(): Promise<void> {
    await query(this.#em, 'analyze shares')
  }

  /** Deletes the share of a grantee. Returns its permission or role, undefined if there was none. */
  async revoke(
    { kindId, resourceId, workspaceId }: SharedResource & Pick<Resource, 'workspaceId'>,
    { type, id }: Grantee,
  ): Promise<string | undefined> {
    type Row = { permission: string }
    const values = [kindId, resourceId, id, workspaceId]
    const [revoked] = await query<Row>(this.#em, revokeSql[type], values)
    return revoked?.permission
  }

  /**
   * Returns the shares of a resource, oldest first. Concurrent callers share the statement, which
   * runs outside the transaction.
   */
  async list({ kindId, resourceId }: SharedResource): Promise<Share[]> {
    const item = { kind_id: kindId, resource_id: resourceId }
    const row = await batched<{ shares: Share[] }>(this.#em, sharesOfResource, item)
    return row?.shares ?? []
  }

  /** Returns the shares of each resource, oldest first, in the order of the resources. */
  async listAll(resources: SharedResource[]): Promise<Share[][]> {
    const items = resources.map(({ kindId, resourceId }, index) => ({
      index,
      kind_id: kindId,
      resource_id: resourceId,
    }))
    type Row = { index: number; shares: Share[] }
    const rows = await query<Row>(this.#em, sharesOfResource.sql, [JSON.stringify(items)])
    const sharesByIndex = new Map(rows.map(({ index, shares }) => [index, shares]))
    return resources.map((_, index) => sharesByIndex.get(index) ?? [])
  }

  /** Returns the number of shares of each resource that has any, by `id` of the resource. */
  async count(ids: string[]): Promise<Map<string, number>> {
    if (ids.length === 0) return new Map()
    const rows = await query<{ id: string; count: number }>(this.#em, countSql, [ids])
    return new Map(rows.map(({ id, count }) => [id, count]))
  }

  /**
   * Deletes up to `limit` expired shares, of one resource or of all. Skips shares that another
   * transaction has locked.
   */
  deleteExpired(limit: number, resource?: SharedResource): Promise<ExpiredShare[]> {
    return query(this.#em, deleteExpiredSql, [limit, resource?.kindId, resource?.resourceId])
  }
}

type GrantRow = Nullable<
  Share & { isOverQuota: boolean; isRoleUnknown: boolean; isConditionUnknown: boolean }
>

function grantItem(
  { resource, grantee, permission, condition, expiresAt, actor, event }: NewShare,
  maxShares: number,
) {
  return {
    id: newId(),
    kind_id: resource.kindId,
    resource_id: resource.resourceId,
    workspace_id: resource.workspaceId,
    grantee_id: grantee.id,
    permission,
    condition: condition?.name,
    params: condition?.params,
    parameters: condition && JSON.stringify(condition.parameters),
    granted_by: userIdOf(actor),
    expires_at: expiresAt,
    quota: maxShares,
    ...createEntrySource(actor),
    target_id: event.targetId,
    detail: event.detail,
  }
}

function readGrant(row: GrantRow | undefined): GrantResult {
  if (!row) return 'expired'
  const { isOverQuota, isRoleUnknown, isConditionUnknown, ...share } = row
  if (isRoleUnknown) return 'role_unknown'
  if (isConditionUnknown) return 'condition_changed'
  return isOverQuota ? 'over_quota' : (share as Share)
}

/** Item: `kind_id`, `resource_id`. Returns `shares`, oldest first. */
const sharesOfResource: BatchedQuery = {
  name: 'shares_of_resource',
  sql: `
    select item.index, array_to_json(array(
      select json_build_object('id', s.id, 'userId', s.user_id, 'groupId', s.group_id,
        'permission', ${barePermission}, 'condition', ${conditionOf('s')}, 'grantedBy', s.granted_by, 'grantedAt', s.granted_at,
        'expiresAt', s.expires_at)
      from shares s
      where s.kind_id = item.kind_id and s.resource_id = item.resource_id and ${isLive('s')}
      order by s.id
    )) as shares
    from json_to_recordset($1) as item (index int, kind_id int, resource_id uuid)`,
}

/** $1 IDs of resources. Returns the `count` of live shares of each resource that has any. */
const countSql = `
  select r.id, count(*)::int as count
  from resources r join shares s on s.kind_id = r.kind_id and s.resource_id = r.resource_id
  where r.id = any($1::uuid[]) and ${isLive('s')} group by r.id`

/** Returns SQL for the ShareCondition of a row of `shares`, as JSON. */
function conditionOf(row: string): string {
  return `case when ${row}.condition is not null then json_build_object('name', ${row}.condition,
          'params', ${row}.params) end`
}

/** $1 limit, $2 kind ID and $3 resource ID, or null for all resources. Returns ExpiredShares. */
const deleteExpiredSql = `
  with expired as (
    delete from shares where id in (
      select id from shares
      where expires_at <= statement_timestamp()
        and ($2::int is null or kind_id = $2 and resource_id = $3::uuid)
      order by expires_at limit $1 for update skip locked
    )
    returning kind_id, resource_id, user_id, group_id, permission, expires_at
  )
  select r.id, r.workspace_id as "workspaceId", k.service_name as "serviceName",
    k.resource_type as "resourceType", r.resource_id as "resourceId", s.user_id as "userId",
    s.group_id as "groupId", ${barePermission} as permission, s.expires_at as "expiresAt"
  from expired s join resources r using (kind_id, resource_id) join resource_kinds k on k.id = r.kind_id`

/** $1 kind ID, $2 resource ID, $3 ID of the grantee, $4 ID of the workspace. Returns the `permission` that was revoked. */
const revokeSql: Record<Grantee['type'], string> = {
  user: createRevokeSql('user_id'),
  group: createRevokeSql('group_id'),
}

/**
 * The grantee of the row `item`. A membership that has ended violates the foreign key, as if its row
 * had been deleted.
 */
const granteeSql = {
  user_id: `coalesce((
          select user_id from live_members m
          where m.user_id = item.grantee_id and m.workspace_id = item.workspace_id
        ), '00000000-0000-0000-0000-000000000000')`,
  group_id: 'grantee_id',
}

/**
 * Item: the fields of `grantItem`. Inserts or replaces a share and records the change, or returns
 * why it did not:
 *
 * | Row | GrantResult |
 * | --- | --- |
 * | a Share | Share |
 * | `isOverQuota` only | `over_quota` |
 * | `isRoleUnknown` only | `role_unknown` |
 * | `isConditionUnknown` only | `condition_changed` |
 * | none | `expired` |
 */
const grantQueries: Record<Grantee['type'], BatchedQuery> = {
  user: createGrantQuery('user_id'),
  group: createGrantQuery('group_id'),
}

/**
 * The parts of the statement:
 *
 * 1. `request`: the items.
 * 2. `condition`, `role`: what the items name, locked until the commit, so that a declaration cannot
 *    remove it.
 * 3. `usage`: the number of shares of each resource, and which grantees have one already. Near the
 *    quota, it locks the resource.
 * 4. `checked`: each item with the reason for which it cannot be granted, if any. New shares of a
 *    batch count in the order of the items.
 * 5. `item`: the items without such a reason.
 * 6. `changed`: the rows, written in a fixed order, so that two batches do not deadlock. The stored
 *    permission of a share with a condition begins with `?`
 *    (docs/decisions/conditions.md#how-a-conditional-share-is-stored).
 * 7. `result`, `granted`: the written rows with their items. An expired share has no row.
 * 8. `entries`: the activity log.
 */
function createGrantQuery(grantee: 'user_id' | 'group_id'): BatchedQuery {
  return {
    name: `share_${grantee}`,
    isWrite: true,
    sql: `
      with request as (
        select * from json_to_recordset($1) as request (
          index int, id uuid, kind_id int, resource_id uuid, workspace_id uuid, grantee_id uuid,
          permission text, condition text, params jsonb, parameters text, granted_by uuid,
          expires_at timestamptz, quota bigint, target_id uuid, detail jsonb, ${entrySourceColumns})
      ), condition as materialized (
        -- Keeps the conditions until the shares are committed.
        select kind_id, name, parameters #>> '{}' as parameters from resource_conditions
        where (kind_id, name, parameters #>> '{}') in (
          select kind_id, condition, parameters from request where condition is not null
        )
        order by kind_id, name for key share
      ), role as materialized (
        -- Keeps the roles until the shares are committed.
        select kind_id, name from resource_roles
        where (kind_id, name) in (
          select kind_id, permission from request where permission not in ('view', 'edit')
        )
        order by kind_id, name for key share
      ), usage as materialized (
        select kind_id, resource_id, count, known from (
          select kind_id, resource_id, quota, array_agg(grantee_id) as grantees from request
          group by kind_id, resource_id, quota order by kind_id, resource_id
        ) resource cross join lateral count_shares_for_quota(kind_id, resource_id, grantees, quota)
      ), checked as materialized (
        select request.*, grantee_id <> all (known) and usage.count + count(*)
            filter (where grantee_id <> all (known))
            over (partition by kind_id, resource_id order by index) > quota as is_over_quota,
          permission not in ('view', 'edit') and (kind_id, permission) not in (
            select kind_id, name from role
          ) as is_role_unknown,
          condition is not null and (kind_id, condition, parameters) not in (
            select kind_id, name, parameters from condition
          ) as is_condition_unknown
        from request join usage using (kind_id, resource_id)
      ), item as (
        select * from checked 
        where not is_over_quota and not is_role_unknown and not is_condition_unknown
      ), changed as (
        insert into shares (
          id, kind_id, resource_id, workspace_id, ${grantee}, permission, condition, params, granted_by,
          expires_at)
        select id, kind_id, resource_id, workspace_id, ${granteeSql[grantee]},
          case when condition is null then permission else '?' || permission end, condition,
          case when condition is not null then coalesce(params, '{}') end, granted_by, expires_at
        from item
        order by kind_id, resource_id, grantee_id
        on conflict (${grantee}, workspace_id, kind_id, resource_id) where ${grantee} is not null
        do update set permission = excluded.permission, condition = excluded.condition,
          params = excluded.params, granted_by = excluded.granted_by,
          granted_at = excluded.granted_at, expires_at = excluded.expires_at
        where ${isLive('shares')}
        returning id, kind_id, resource_id, user_id, group_id, condition, params, granted_by, granted_at,
          expires_at
      ), result as materialized (
        select item.index, ${entrySource}, item.target_id, item.workspace_id, item.detail,
          changed.id, user_id, group_id, item.permission,
          ${conditionOf('changed')} as condition, changed.granted_by, granted_at, changed.expires_at
        -- The planner expects a row of each. A full join is never a nested loop, which would compare
        -- each of a thousand shares with each.
        from changed full join item
          on item.kind_id = changed.kind_id and item.resource_id = changed.resource_id
          and item.grantee_id = changed.${grantee}
      ), granted as (
        select * from result where id is not null and index is not null
      ), entries as (${insertEntriesFrom('granted', permissionEvents, 'permission.shared')})
      select index, is_over_quota as "isOverQuota", is_role_unknown as "isRoleUnknown",
        is_condition_unknown as "isConditionUnknown", granted.id, user_id as "userId", group_id as "groupId", granted.permission, granted.condition, granted.granted_by as "grantedBy",
        granted_at as "grantedAt", granted.expires_at as "expiresAt"
      from checked full join granted using (index)
      where is_over_quota or is_role_unknown or is_condition_unknown or granted.id is not null`,
  }
}

function createRevokeSql(grantee: 'user_id' | 'group_id'): string {
  return `
    delete from shares
    where kind_id = $1 and resource_id = $2 and ${grantee} = $3 and workspace_id = $4
      and ${isLive('shares')}
    returning ltrim(permission, '?') as permission`
}
