import { createFilters } from '../../database/filters.ts'
import { lowestIdAt } from '../../database/sql-values.ts'

/**
 * Entries must match every filter that is set. Results are newest first, or oldest first with
 * `after`.
 */
export type EntryQuery = {
  action?: string | undefined
  /** Only entries with one of these actions. */
  actions?: string[] | undefined
  actorId?: string | undefined
  /** Only entries of changes that this agent made for a user. */
  agentId?: string | undefined
  workspaceId?: string | undefined
  targetId?: string | undefined
  /** Only entries at or after this time (RFC 3339). */
  since?: string | undefined
  /** Only entries before this time (RFC 3339). */
  until?: string | undefined
  /** Only entries of events that this user caused, or that have this user as their target. */
  concernedUserId?: string | undefined
  /** Only entries with a lower ID. They are older, because IDs are UUIDs of version 7. */
  before?: string | undefined
  /** Only entries with a higher ID. They are newer. */
  after?: string | undefined
  limit: number
}

export const entryColumns = `id, action, target_type, target_id, actor_id, actor_type,
  api_key_prefix, agent_type, agent_id, delegation_id, workspace_id, detail, created_at, service_app_id, key_prefix, request_id, ip`

/**
 * The maximum difference, in milliseconds, between the time in the ID of an entry, by the clock of a
 * node, and `created_at`, by the clock of the database. It includes the duration of a transaction.
 */
const maxClockDifference = 5 * 60_000

/**
 * Returns the statement of a query. Times also become bounds of the IDs, which every index of the log
 * contains, so that the statement reads only entries of that time.
 */
export function createEntriesSql(entryQuery: EntryQuery): { sql: string; values: unknown[] } {
  const { action, actions, actorId, agentId, workspaceId, targetId } = entryQuery
  const { since, until, concernedUserId, before, after, limit } = entryQuery
  const filters = createFilters()
  filters.add(action, (placeholder) => `action = ${placeholder}`)
  filters.add(actions, (placeholder) => `action = any(${placeholder}::text[])`)
  filters.add(actorId, (placeholder) => `actor_id = ${placeholder}`)
  filters.add(agentId, (placeholder) => `agent_id = ${placeholder}`)
  filters.add(workspaceId, (placeholder) => `workspace_id = ${placeholder}`)
  // An order that only the index on targets has prevents the planner from reading the primary key
  // backward until it finds the entries of a rare target.
  filters.add(
    targetId,
    (id) =>
      `(target_id, id) >= (${id}::uuid, ${lowest}) and (target_id, id) <= (${id}::uuid, ${highest})`,
  )
  filters.add(since, (placeholder) => `created_at >= ${placeholder}`)
  filters.add(until, (placeholder) => `created_at < ${placeholder}`)
  const firstId = since && lowestIdAt(Date.parse(since) - maxClockDifference)
  const lastId = until && lowestIdAt(Date.parse(until) + maxClockDifference)
  filters.add(firstId, (placeholder) => `id >= ${placeholder}`)
  filters.add(lastId, (placeholder) => `id < ${placeholder}`)
  filters.add(before, (placeholder) => `id < ${placeholder}`)
  filters.add(after, (placeholder) => `id > ${placeholder}`)
  const direction = after === undefined ? 'desc' : 'asc'
  const limitIndex = `$${filters.values.length + 1}`
  const order =
    targetId === undefined ? `id ${direction}` : `target_id ${direction}, id ${direction}`
  const page = `order by ${order} limit ${limitIndex}`
  if (concernedUserId === undefined) {
    const sql = `select ${entryColumns} from activity ${filters.where()} ${page}`
    return { sql, values: [...filters.values, limit] }
  }
  const user = `$${filters.values.length + 2}`
  const branch = (condition: string) => {
    const where = filters.where()
    return `(select ${entryColumns} from activity ${where ? `${where} and` : 'where'} ${condition} ${page})`
  }
  // Branches, because one condition with OR would read the whole log.
  const sql = `select * from (
      ${branch(`actor_id = ${user}`)}
      union all
      ${branch(`target_type = 'user' and target_id = ${user} and actor_id is distinct from ${user}`)}
    ) entry order by id ${direction} limit ${limitIndex}`
  return { sql, values: [...filters.values, limit, concernedUserId] }
}

const lowest = `'00000000-0000-0000-0000-000000000000'::uuid`
const highest = `'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`
