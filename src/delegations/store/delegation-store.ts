import type { EntityManager } from '@mikro-orm/postgresql'
import { isLiveResource } from '../../database/deleted-rows.ts'
import { findPage, type Page, type PageRequest } from '../../database/page.ts'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import { liveDelegation } from '../../permissions/engine/subjects/delegation.ts'

export type AgentType = 'service_account' | 'client'

/** What a user lets an agent do. A list that is null stands for all. */
export type StoredDelegation = {
  id: string
  userId: string
  agentType: AgentType
  agentId: string
  agentName: string
  workspaceId: string
  serviceName: string
  actions: string[] | null
  resourceTypes: string[] | null
  /** The resources that are still registered. */
  resources: StoredResource[] | null
  reason: string
  createdAt: Timestamp
  expiresAt: Timestamp
  /** Midnight UTC of the day on which the agent last acted. */
  lastUsedAt: Timestamp | null
}

type StoredResource = { resourceType: string; resourceId: string; externalId: string | null }

/** A delegation to insert. `resources` are the IDs of registrations. */
export type NewDelegation = Omit<
  StoredDelegation,
  'resources' | 'createdAt' | 'expiresAt' | 'lastUsedAt'
> & { resources: string[] | null; createdAt: Date; expiresAt: Date }

/** Which delegations to read or end. */
export type DelegationFilter = {
  id?: string | undefined
  userId?: string | undefined
  agentId?: string | undefined
  workspaceId?: string | undefined
}

/** What the activity log says about the end of a delegation. */
export type EndedDelegation = Omit<
  StoredDelegation,
  'agentName' | 'actions' | 'resourceTypes' | 'resources' | 'reason' | 'createdAt' | 'lastUsedAt'
>

/** An agent of a new delegation. */
export type Agent = { type: AgentType; id: string }

/** The delegations of users to agents. Methods that read or end them skip those that have ended. */
export class DelegationStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Locks a person, their membership and the workspace until the end of the transaction, which excludes
   * what would end a new delegation, and other new ones of the person. Returns whether the workspace
   * allows delegations; undefined if the person has not joined it, is inactive, or is a service account.
   */
  async lockPerson(userId: string, workspaceId: string): Promise<boolean | undefined> {
    const lockSql = `
      select from users where id = $1 and is_active and workspace_id is null for no key update`
    if ((await query(this.#em, lockSql, [userId])).length === 0) return undefined
    const values = [userId, workspaceId]
    const [row] = await query<{ allowed: boolean }>(this.#em, lockMembershipSql, values)
    return row?.allowed
  }

  /**
   * Locks an agent until the end of the transaction, which excludes what would end a new delegation, and
   * returns its name. Undefined unless it may be an agent in the workspace.
   */
  async lockAgent({ type, id }: Agent, workspaceId: string): Promise<string | undefined> {
    const [row] = await query<{ name: string }>(this.#em, lockAgentSql[type], [id, workspaceId])
    return row?.name
  }

  /** Prevents that a service is deleted before the end of the transaction. It need not be registered. */
  async keepService(name: string): Promise<void> {
    const sql = 'select from service_apps where service_name = $1 for key share'
    await query(this.#em, sql, [name])
  }

  /** Returns the number of delegations of a user. */
  async count(userId: string): Promise<number> {
    const sql = `select count(*)::int as count from delegations d where user_id = $1 and ${liveDelegation}`
    const [row] = await query<{ count: number }>(this.#em, sql, [userId])
    return row?.count ?? 0
  }

  async insert(delegation: NewDelegation): Promise<void> {
    const { id, userId, agentType, agentId, agentName, workspaceId, serviceName } = delegation
    const { actions, resourceTypes, resources, reason, createdAt, expiresAt } = delegation
    await query(this.#em, insertSql, [
      ...[id, userId, agentType, agentId, agentName, workspaceId, serviceName],
      ...[actions, resourceTypes, resources, reason, createdAt, expiresAt],
    ])
  }

  /** Returns delegations, newest first. */
  list(filter: DelegationFilter): Promise<StoredDelegation[]> {
    const sql = `select ${columns} from ${from} order by d.id desc`
    return query(this.#em, sql, toValues(filter))
  }

  /** Returns a page of delegations, newest first. */
  findPage(filter: DelegationFilter, page: PageRequest): Promise<Page<StoredDelegation>> {
    const values = toValues(filter)
    return findPage(this.#em, page, { select: columns, from, orderBy: 'd.id desc', values })
  }

  /** Ends delegations, whose end the caller records, and returns them. */
  end(filter: DelegationFilter): Promise<EndedDelegation[]> {
    return query(this.#em, endSql, toValues(filter))
  }

  /**
   * Marks the ends of at most `limit` delegations that expired or that triggers ended as recorded, and
   * returns them. Skips those that another transaction has locked.
   */
  markRecorded(limit: number): Promise<(EndedDelegation & { isExpired: boolean })[]> {
    return query(this.#em, markRecordedSql, [limit])
  }

  /**
   * Deletes delegations that ended more than 90 days ago, in steps. Returns whether more may remain.
   * Skips those that another transaction has locked.
   */
  async deleteEnded(): Promise<boolean> {
    return (await query(this.#em, deleteEndedSql, [maxDeleted])).length === maxDeleted
  }
}

/** The maximum number of delegations that one statement deletes. */
const maxDeleted = 1000

const endedColumns = `d.id, d.user_id as "userId", d.agent_type as "agentType",
  d.agent_id as "agentId", d.workspace_id as "workspaceId", d.service_name as "serviceName",
  d.expires_at as "expiresAt"`

/** The resources of the row `d` that are still registered, in the order of the list. */
const resources = `case when d.resources is not null then (
    select coalesce(json_agg(json_build_object('resourceType', k.resource_type,
      'resourceId', r.resource_id, 'externalId', r.external_id) order by i.position), '[]')
    from unnest(d.resources) with ordinality i (id, position)
    join resources r on r.id = i.id and ${isLiveResource('r')}
    join resource_kinds k on k.id = r.kind_id
  ) end`

const columns = `${endedColumns}, d.agent_name as "agentName", d.actions,
  d.resource_types as "resourceTypes", ${resources} as resources, d.reason,
  d.created_at as "createdAt", d.last_used_at as "lastUsedAt"`

/** $1 ID, $2 user, $3 agent, $4 workspace; null for any. */
const filtered = `${liveDelegation} and ($1::uuid is null or d.id = $1)
  and ($2::uuid is null or d.user_id = $2) and ($3::uuid is null or d.agent_id = $3)
  and ($4::uuid is null or d.workspace_id = $4)`

/** The values of `filtered`. */
const from = `delegations d where ${filtered}`

function toValues({ id, userId, agentId, workspaceId }: DelegationFilter) {
  return [id, userId, agentId, workspaceId]
}

/** $1 user, $2 workspace. */
const lockMembershipSql = `
  select w.delegations as allowed from live_members m join workspaces w on w.id = m.workspace_id
  where m.user_id = $1 and m.workspace_id = $2 and m.joined_at is not null
  for share of m, w`

/** $1 ID, $2 workspace. Returns the name of an agent. */
const lockAgentSql: Record<AgentType, string> = {
  service_account: `
    select u.name from users u join live_members m on m.user_id = u.id and m.workspace_id = u.workspace_id
    where u.id = $1 and u.workspace_id = $2 and u.is_active
    for share of u, m`,
  client: `
    select name from client_apps
    where id = $1 and is_active and type = 'confidential' and service_account_id is null
      and (workspace_id is null or workspace_id = $2)
    for share`,
}

/** $1 to $13 the columns in the order of the statement. */
const insertSql = `
  insert into delegations (id, user_id, agent_type, agent_id, agent_name, workspace_id, service_name,
    actions, resource_types, resources, reason, created_at, expires_at)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`

/** The values of `filtered`. Returns EndedDelegations. */
const endSql = `
  update delegations d set ended_at = statement_timestamp(), is_end_recorded = true
  where ${filtered} returning ${endedColumns}`

/** $1 limit. Returns EndedDelegations. */
const markRecordedSql = `
  update delegations d set is_end_recorded = true
  where d.id in (
    select id from delegations
    where not is_end_recorded and (ended_at is not null or expires_at <= statement_timestamp())
    order by id limit $1 for update skip locked
  )
  returning ${endedColumns}, coalesce(d.ended_at >= d.expires_at, true) as "isExpired"`

/** $1 limit. Returns a row for each deleted delegation. */
const deleteEndedSql = `
  delete from delegations where id in (
    select id from delegations
    where is_end_recorded
      and least(expires_at, ended_at) <= statement_timestamp() - interval '90 days'
    limit $1 for update skip locked
  )
  returning id`

/**
 * $1 IDs of delegations, $2 the times at which they were used. Stores the midnights (UTC) of the days. Skips
 * delegations that another transaction has locked.
 */
export const recordDelegationUsageSql = `
  update delegations d set last_used_at = used.day
  from (
    select id, date_trunc('day', at, 'UTC') as day
    from unnest($1::uuid[], $2::timestamptz[]) used (id, at)
  ) used
  where d.id = used.id and d.id in (
    select d.id from delegations d join unnest($1::uuid[], $2::timestamptz[]) u (id, at) using (id)
    where d.last_used_at is null or d.last_used_at < date_trunc('day', u.at, 'UTC')
    for no key update of d skip locked
  )`
