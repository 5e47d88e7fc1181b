import type { EntityManager } from '@mikro-orm/postgresql'
import { newId } from '../../core/new-id.ts'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import { barePermission, isLive } from '../../permissions/engine/grants/live-share.ts'
import { liveLink } from '../../permissions/engine/subjects/link.ts'
import type { Resource, ResourceKey } from '../../permissions/store/resource-sql.ts'
import type { CheckedCondition, ShareCondition } from '../../permissions/store/share-store.ts'

/** A link to a resource. */
export type Link = {
  id: string
  /** `view`, `edit` or the name of a role. */
  permission: string
  name: string | null
  createdBy: string | null
  createdAt: Timestamp
  expiresAt: Timestamp | null
  /** The day of the last use, as in `2026-01-31`. */
  lastUsedOn: string | null
  condition: ShareCondition | null
}

type LinkedResource = Pick<Resource, 'id' | 'kindId' | 'resourceId' | 'workspaceId'>

export type NewLink = {
  resource: LinkedResource
  tokenHash: string
  permission: string
  name: string | undefined
  createdBy: string | undefined
  expiresAt: string | undefined
  condition: ShareCondition | undefined
}

/** A deleted link, with the names and the workspace of its resource. */
export type ExpiredLink = ResourceKey &
  Pick<Resource, 'workspaceId'> &
  Pick<Link, 'permission'> & { id: string; permissionId: string; expiresAt: Timestamp }

/** The links to resources. Methods that read links skip expired ones. */
export class LinkStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Returns the number of links of a resource, and prevents new ones until the end of the
   * transaction. Returns undefined if the resource has been unregistered.
   */
  async lockAndCount({ id, kindId, resourceId }: LinkedResource): Promise<number | undefined> {
    const lockSql = 'select id from resources where id = $1 for no key update'
    if ((await query(this.#em, lockSql, [id])).length === 0) return undefined
    const [row] = await query<{ count: number }>(this.#em, countSql, [kindId, resourceId])
    return row?.count ?? 0
  }

  /** Keeps a role of a type until the end of the transaction. Returns whether it exists. */
  async keepRole(kindId: number, name: string): Promise<boolean> {
    const sql = 'select name from resource_roles where kind_id = $1 and name = $2 for key share'
    return (await query(this.#em, sql, [kindId, name])).length > 0
  }

  /**
   * Keeps a condition of a type until the end of the transaction. Returns whether it exists with these
   * types of parameters.
   */
  async keepCondition(kindId: number, { name, parameters }: CheckedCondition): Promise<boolean> {
    const values = [kindId, name, JSON.stringify(parameters)]
    return (await query(this.#em, keepConditionSql, values)).length > 0
  }

  async create({ resource, ...link }: NewLink): Promise<Link> {
    const [created] = await query<Link>(this.#em, insertSql, [
      newId(),
      link.tokenHash,
      resource.kindId,
      resource.resourceId,
      resource.workspaceId,
      link.condition ? `?${link.permission}` : link.permission,
      link.name,
      link.createdBy,
      link.expiresAt,
      link.condition?.name,
      link.condition && JSON.stringify(link.condition.params),
    ])
    return created as Link
  }

  /** Returns the links to a resource, oldest first. */
  list({ kindId, resourceId }: LinkedResource): Promise<Link[]> {
    return query(this.#em, listSql, [kindId, resourceId])
  }

  /** Deletes a link. Returns it, or undefined if the resource has no such link. */
  async delete({ kindId, resourceId }: LinkedResource, id: string): Promise<Link | undefined> {
    const [deleted] = await query<Link>(this.#em, deleteSql, [kindId, resourceId, id])
    return deleted
  }

  /** Deletes up to `limit` expired links. Skips links that another transaction has locked. */
  deleteExpired(limit: number): Promise<ExpiredLink[]> {
    return query(this.#em, deleteExpiredSql, [limit])
  }
}

/** The columns of a Link of the row `s` of `resource_links`, which is named like one of `shares`. */
const columns = `id, ${barePermission} as permission, name, created_by as "createdBy", created_at as "createdAt",
    expires_at as "expiresAt", last_used_on::text as "lastUsedOn",
    case when condition is not null then json_build_object('name', condition, 'params', params) end
      as condition`

/** $1 kind ID, $2 resource ID. */
const countSql = `
  select count(*)::int as count from resource_links l
  where kind_id = $1 and resource_id = $2 and ${isLive('l')}`

/** $1 kind ID, $2 resource ID. Returns Links. */
const listSql = `
  select ${columns} from resource_links s
  where kind_id = $1 and resource_id = $2 and ${isLive('s')} order by id`

/** $1 kind ID, $2 name, $3 parameters as JSON. */
const keepConditionSql = `
  select name from resource_conditions
  where kind_id = $1 and name = $2 and parameters #>> '{}' = $3 for key share`

/** $1 to $11 the columns in the order of the statement. Returns the Link. */
const insertSql = `
  insert into resource_links as s (id, token_hash, kind_id, resource_id, workspace_id, permission, name,
    created_by, expires_at, condition, params)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
  returning ${columns}`

/** $1 kind ID, $2 resource ID, $3 ID of the link. Returns the Link. */
const deleteSql = `
  delete from resource_links s
  where kind_id = $1 and resource_id = $2 and id = $3 and ${isLive('s')}
  returning ${columns}`

/** $1 hash of a token. Returns the ID of the link. */
export const linkByTokenSql = `
select id from resource_links l where token_hash = $1 and ${liveLink}`

/** $1 limit. Returns ExpiredLinks. */
const deleteExpiredSql = `
  with expired as (
    delete from resource_links where id in (
      select id from resource_links where expires_at <= statement_timestamp()
      order by expires_at limit $1 for update skip locked
    )
    returning id, kind_id, resource_id, permission, expires_at
  )
  select s.id, r.id as "permissionId", r.workspace_id as "workspaceId",
    k.service_name as "serviceName", k.resource_type as "resourceType",
    r.resource_id as "resourceId", ${barePermission} as permission,
    s.expires_at as "expiresAt"
  from expired s join resources r using (kind_id, resource_id)
  join resource_kinds k on k.id = r.kind_id`

/** $1 IDs of links, $2 the times at which they were used. Stores the days, in UTC. */
export const recordLinkUsageSql = `
  update resource_links l set last_used_on = used.day
  from (
    select id, (at at time zone 'UTC')::date as day
    from unnest($1::uuid[], $2::timestamptz[]) used (id, at)
  ) used
  where l.id = used.id and (l.last_used_on is null or l.last_used_on < used.day)`
