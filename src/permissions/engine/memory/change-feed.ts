import type { RequestScope } from '../../../core/request-scope.ts'
import { createBatcher } from '../../../database/batching.ts'
import { startFactsEpoch } from '../../../database/facts-epoch.ts'
import { maxReadClockDifference } from '../../../database/replicas/clock-offset.ts'
import type { ReplicaReads } from '../../../database/replicas/replica-reads.ts'
import type { PrimarySnapshot } from '../../../database/replicas/settled-snapshots.ts'
import type { Statements } from '../../../database/statement-pool.ts'
import { checkBurst } from '../checks-batch.ts'
import { expiringTables } from '../grants/expiring-tables.ts'
import { type Change, type ChangeVersions, createChangeVersions } from './change-versions.ts'

/** Tracks changes to the facts that decisions depend on. */
export type ChangeFeed = Pick<
  ChangeVersions,
  'current' | 'isUnchanged' | 'isWorkspaceUnchanged'
> & {
  /**
   * Reads every change that was acknowledged before the call, and returns the time at which it did.
   * Concurrent callers share a statement, and workspaces take turns so that none delays the others.
   */
  refresh(workspaceId: string, scope?: RequestScope): Promise<string>
}

/** How far the last statement read: at least the changes visible in a snapshot of the primary. */
type Position = PrimarySnapshot & { readAt: string }

/** `snapshot` is null on a standby. `identity` is also null if no node has inserted its row yet. */
type Row = [
  snapshot: string | null,
  identity: string | null,
  readAt: string,
  isWhole: boolean | null,
  changes: Change[] | null,
]

/** A row, and the snapshot that it and every later load include, if it is known. */
type Read = { row: Row; included: PrimarySnapshot | undefined }

const expired = (changes: string) => `union all
      select ${changes}
        where expires_at > expiry.since and expires_at <= statement_timestamp()`

/** If one statement returns more changes than this, all facts count as changed. */
const maxChanges = 1000

/**
 * Returns the new position, and the changes since the last one: the transactions that its snapshot did
 * not include, and what has expired since, because no row changes then.
 *
 * | Parameter | Value                                                          |
 * | --------- | -------------------------------------------------------------- |
 * | $1, $2    | snapshot and read time of the last position, null without one  |
 * | $3        | maximum number of changes                                      |
 * | $4        | milliseconds by which the clocks of the servers may differ     |
 *
 * `isWhole` is false or null if changes may be missing: they were pruned, or the clock was set back.
 *
 * A snapshot does not include a transaction that began later, or that it lists as running. Two queries
 * test these conditions, so that the statement stays fast while a transaction runs for hours.
 */
export const changesSql = `
select
  case when not pg_is_in_recovery() then pg_current_snapshot()::text end,
  facts_identity(),
  statement_timestamp()::text,
  pg_snapshot_xmin($1::pg_snapshot) >= (select pruned_before from access_changes_horizon)
    and expiry.since <= statement_timestamp(),
  (
    select json_agg(json_build_array(workspace_id, item_id))
    from (
      select workspace_id, item_id from access_changes
        where transaction >= pg_snapshot_xmax($1::pg_snapshot)
      union all
      select workspace_id, item_id from access_changes
        where transaction = any(array(select pg_snapshot_xip($1::pg_snapshot)))
      ${Object.values(expiringTables).map(expired).join('\n      ')}
      union all
      select null, null where exists (
        select from service_keys
        where expires_at > expiry.since and expires_at <= statement_timestamp())
      limit $3
    ) change
  )
from (values ($2::timestamptz - make_interval(secs => $4::float8 / 1000))) expiry (since)`

/**
 * Creates a feed of changes. Triggers record each change with its transaction ID (migration 024), so a
 * statement can select the changes that an earlier snapshot of the primary did not include. Why a fact
 * from memory is what PostgreSQL would have returned, also with replicas:
 * docs/decisions/memory.md#how-newer-changes-are-found.
 */
export function createChangeFeed(
  statements: Statements,
  replicas?: Pick<ReplicaReads, 'rowsWithSnapshot'>,
  versions = createChangeVersions(),
): ChangeFeed {
  let position: Position | undefined
  const clockDifference = replicas ? maxReadClockDifference : 0

  async function readRow(values: unknown[]): Promise<Read> {
    const name = 'access changes'
    if (!replicas) {
      const [row] = (await statements.rows<Row>(name, changesSql, values)) as [Row]
      const [snapshot, identity] = row
      const isKnown = snapshot !== null && identity !== null
      return { row, included: isKnown ? { snapshot, identity } : undefined }
    }
    const { rows, included } = await replicas.rowsWithSnapshot<Row>(name, changesSql, values)
    const [row] = rows as [Row]
    const [snapshot, identity] = row
    // Another primary served the statement, or the same one after a crash.
    const isOther = snapshot !== null && identity !== included?.identity
    return { row, included: isOther ? undefined : included }
  }

  async function readChanges(): Promise<string> {
    const { snapshot = null, readAt = null, identity } = position ?? {}
    const { row, included } = await readRow([snapshot, readAt, maxChanges + 1, clockDifference])
    const [, , now, isWhole, changes] = row
    const isComplete = isWhole === true && included?.identity === identity
    position = included && { ...included, readAt: now }
    // Without the row, for example on a full disk, nothing is used from memory.
    if (!position) await startFactsEpoch(statements).catch(() => {})
    if (!isComplete || (changes?.length ?? 0) > maxChanges) versions.applyAll()
    else versions.apply(changes ?? [])
    return now
  }

  const refresh = createBatcher(
    async (callers: string[]) => {
      const now = await readChanges()
      return callers.map(() => now)
    },
    // One statement at a time, because each starts at the position of the previous one.
    {
      maxRunning: 1,
      maxBatchRows: Number.MAX_SAFE_INTEGER,
      burst: checkBurst,
      callerOf: (workspaceId) => workspaceId,
    },
  )

  return { ...versions, refresh }
}
