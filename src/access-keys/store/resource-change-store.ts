import { startFactsEpoch } from '../../database/facts-epoch.ts'
import type { Statements } from '../../database/statement-pool.ts'

/** A record (migration 108): it names a resource, a tree of resources, a workspace or everything. */
export type ResourceChange =
  | { scope: 'resource' | 'tree'; kindId: number; resourceId: string }
  | { scope: 'workspace'; workspaceId: string }
  | { scope: 'all' }

/** A place among the records of a window, as texts. */
export type RecordPlace = { transaction: string; id: string }

/** A page of records. `next` is undefined if it is the last one of the window. */
export type RecordPage = { changes: ResourceChange[]; next: RecordPlace | undefined }

/** The records of the transactions that a snapshot does not include, and the present one does. */
export type RecordWindow = RecordPage & {
  /** The result of `facts_identity()`. Null if it must be started. */
  identity: string | null
  /** The present snapshot. */
  snapshot: string
  /** Whether the records of all these transactions still exist. */
  isComplete: boolean
}

/** The maximum number of records that a statement reads, also of other services. */
const maxRecords = 1000

/** The maximum number of records that one call of `prune` deletes. */
export const maxPrunedRecords = 10_000

/** Orders the kinds of `scope` as in the table. */
const scopes = { r: 'resource', t: 'tree', w: 'workspace', a: 'all' } as const

type Scope = keyof typeof scopes

type RecordRow = [
  scope: Scope,
  kindId: number | null,
  resourceId: string | null,
  workspaceId: string | null,
]

type PageColumns = [
  records: RecordRow[] | null,
  count: number,
  lastTransaction: string | null,
  lastId: string | null,
]

/** The columns of a page of records of a service. */
const pageSql = `
  (select json_agg(json_build_array(scope, kind_id, resource_id, workspace_id))
    from (select distinct scope, kind_id, resource_id, workspace_id from page
      where pg_visible_in_snapshot(transaction, until)
        and (kind_id is null or kind_id in (
          select id from resource_kinds where service_name = $2))) change),
  (select count(*)::int from page),
  (select transaction::text from page order by page.transaction desc, id desc limit 1),
  (select id::text from page order by page.transaction desc, id desc limit 1)`

/**
 * Returns the CTE `page`: records of the transactions that the snapshot $1 does not include. Two queries,
 * so that it stays fast while a transaction runs for hours. Records of transactions that `until` does not
 * include may be among them.
 *
 * $3 and $4 are the place after which the page begins. There is one lower bound, because with two of them
 * PostgreSQL can start at the lower one, and read all records.
 */
function pageCte(until: string): string {
  const records = (condition: string) => `
    (select * from (
      select transaction, id, scope, kind_id, resource_id, workspace_id from resource_changes
      where ${condition}
      order by transaction, id limit ${maxRecords}
    ) part)`
  const first = 'pg_snapshot_xmax($1::pg_snapshot)'
  return `page as (
    select transaction, id, scope, kind_id, resource_id, workspace_id from (
      ${records(`transaction < pg_snapshot_xmax(${until}) and (transaction, id) > (
        case when $3::xid8 > ${first} then $3::xid8 else ${first} end,
        case when $3::xid8 >= ${first} then $4::bigint else 0 end)`)}
      union all
      ${records(`transaction = any(array(select pg_snapshot_xip($1::pg_snapshot)))
        and (transaction, id) > ($3::xid8, $4::bigint)`)}
    ) record
    order by transaction, id limit ${maxRecords}
  )`
}

/** $1 snapshot, null to read no records; $2 service; $3, $4 the place before all records. */
export const windowSql = `
with ${pageCte('pg_current_snapshot()')}
select facts_identity(), until::text,
  pg_snapshot_xmin($1::pg_snapshot) <= pg_snapshot_xmax(until) and not exists (
    select from resource_changes_horizon h
    where h.identity = facts_identity() and h.pruned_before > pg_snapshot_xmin($1::pg_snapshot)
  ),
  ${pageSql}
from pg_current_snapshot() until`

/** $1 snapshot, $2 service, $3 and $4 the place, $5 the snapshot at which the window ends. */
export const nextPageSql = `
with ${pageCte('$5::pg_snapshot')}
select ${pageSql}
from (values ($5::pg_snapshot)) window_end (until)`

const start: RecordPlace = { transaction: '0', id: '0' }

/** Reads the records of changes, on the primary. */
export type ResourceChangeStore = {
  /** Reads the first records since a snapshot, or only where the records are now. */
  openWindow(serviceName: string, since: string | undefined): Promise<RecordWindow>
  readOn(
    serviceName: string,
    window: { since: string; until: string },
    after: RecordPlace,
  ): Promise<RecordPage>
  /** Starts an identity if there is none, after a crash or a promotion. */
  startIdentity(): Promise<void>
  /** Deletes records that are past their retention, and returns how many it deleted. */
  prune(retentionHours: number): Promise<number>
}

export function createResourceChangeStore(statements: Statements): ResourceChangeStore {
  return {
    async openWindow(serviceName, since) {
      type Row = [identity: string | null, snapshot: string, isComplete: boolean | null]
      const { transaction, id } = start
      const values = [since ?? null, serviceName, transaction, id]
      const [row] = await statements.rows<[...Row, ...PageColumns]>(
        'resource changes',
        windowSql,
        values,
      )
      if (!row) throw new Error('The statement of changes returned no row')
      const [identity, snapshot, isComplete, ...page] = row
      return { identity, snapshot, isComplete: isComplete === true, ...toPage(page) }
    },
    async readOn(serviceName, { since, until }, { transaction, id }) {
      const [row] = await statements.rows<PageColumns>('more resource changes', nextPageSql, [
        since,
        serviceName,
        transaction,
        id,
        until,
      ])
      if (!row) throw new Error('The statement of changes returned no row')
      return toPage(row)
    },
    startIdentity: () => startFactsEpoch(statements),
    async prune(retentionHours) {
      const [row] = await statements.rows<[number]>('pruned resource changes', pruneSql, [
        retentionHours,
        maxPrunedRecords,
      ])
      return row?.[0] ?? 0
    },
  }
}

function toPage([records, count, transaction, id]: PageColumns): RecordPage {
  const hasMore = count === maxRecords && transaction !== null && id !== null
  return {
    changes: (records ?? []).map(toChange),
    next: hasMore ? { transaction, id } : undefined,
  }
}

function toChange([scope, kindId, resourceId, workspaceId]: RecordRow): ResourceChange {
  const named = scopes[scope]
  if (named === 'workspace' && workspaceId !== null) return { scope: named, workspaceId }
  if (named === 'all' || named === 'workspace' || kindId === null || resourceId === null)
    return { scope: 'all' }
  return { scope: named, kindId, resourceId }
}

/**
 * $1 hours, $2 maximum number. Deletes records of ended transactions only, so that no snapshot that is
 * taken later precedes the horizon. Those of another history may have IDs that are yet to come.
 */
const pruneSql = `
with old as (
  select record.ctid as place, record.transaction from (
    select ctid, transaction, recorded_at from resource_changes
    where transaction < pg_snapshot_xmin(pg_current_snapshot())
    order by transaction, id limit $2
  ) record
  where recorded_at < now() - make_interval(hours => $1)
), moved as (
  insert into resource_changes_horizon (pruned_before, identity)
  select (last.transaction::text::numeric + 1)::text::xid8, coalesce(facts_identity(), '')
  from (select transaction from old order by transaction desc limit 1) last
  on conflict (is_single) do update set identity = excluded.identity,
    pruned_before = case when resource_changes_horizon.identity = excluded.identity
      then greatest(resource_changes_horizon.pruned_before, excluded.pruned_before)
      else excluded.pruned_before end
), deleted as (
  delete from resource_changes where ctid = any(array(select place from old)) returning 1
)
select count(*)::int from deleted`
