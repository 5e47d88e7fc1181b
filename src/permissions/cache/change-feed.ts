import type { RequestScope } from '../../core/request-scope.ts'
import { createBatcher } from '../../database/batching.ts'
import type { Statements } from '../../database/statement-pool.ts'
import { type Change, type ChangeVersions, createChangeVersions } from './change-versions.ts'

/** Follows what changes the facts of decisions. */
export type ChangeFeed = Pick<
  ChangeVersions,
  'current' | 'isUnchanged' | 'isWorkspaceUnchanged'
> & {
  /**
   * Learns of every change that was acknowledged before the call. Callers share a statement; those of one
   * workspace take turns with those of others.
   */
  refresh(workspaceId: string, scope?: RequestScope): Promise<void>
}

/** What the last statement read: the changes visible in `snapshot`, on the server that started then. */
type Position = { snapshot: string; serverStart: string; readAt: string }

type Row = [
  snapshot: string,
  serverStart: string,
  readAt: string,
  isComplete: boolean | null,
  changes: Change[] | null,
]

/** With more changes than this, everything counts as changed. */
const maxChanges = 1000

/**
 * $1 snapshot, $2 server start and $3 time of the last position, or nulls; $4 limit.
 *
 * Returns the new position, and the changes between the two; `isComplete` is not true if some may be unknown:
 * they were deleted, the server was replaced, or its clock was set back. A transaction is invisible in a
 * snapshot if it began later or is in its list of running ones; with these two conditions, a transaction that
 * runs for hours costs nothing. Expiry changes no row, so what expired in between is a change, too.
 */
const changesSql = `
select
  pg_current_snapshot()::text, pg_postmaster_start_time()::text, statement_timestamp()::text,
  pg_snapshot_xmin($1::pg_snapshot) >= (select pruned_before from access_changes_horizon)
    and $2 = pg_postmaster_start_time()::text and $3::timestamptz <= statement_timestamp(),
  (
    select json_agg(json_build_array(workspace_id, item_id))
    from (
      select workspace_id, item_id from access_changes
        where transaction >= pg_snapshot_xmax($1::pg_snapshot)
      union all
      select workspace_id, item_id from access_changes
        where transaction = any(array(select pg_snapshot_xip($1::pg_snapshot)))
      union all
      select workspace_id, case when not on_parent then resource_id end from shares
        where expires_at > $3::timestamptz and expires_at <= statement_timestamp()
      union all
      select null, null where exists (
        select from service_keys
        where expires_at > $3::timestamptz and expires_at <= statement_timestamp())
      limit $4
    ) change
  )`

/**
 * Creates a feed that reads the changes from the primary. Each transaction records what it changes with its
 * ID (migration 024), so a statement finds those that an earlier snapshot did not include.
 */
export function createChangeFeed(
  statements: Statements,
  versions = createChangeVersions(),
): ChangeFeed {
  let position: Position | undefined

  async function readChanges(): Promise<void> {
    const { snapshot = null, serverStart = null, readAt = null } = position ?? {}
    const values = [snapshot, serverStart, readAt, maxChanges + 1]
    const [row] = await statements.rows<Row>('access changes', changesSql, values)
    const [newSnapshot, newServerStart, newReadAt, isComplete, changes] = row as Row
    position = { snapshot: newSnapshot, serverStart: newServerStart, readAt: newReadAt }
    if (isComplete !== true || (changes?.length ?? 0) > maxChanges) versions.applyAll()
    else versions.apply(changes ?? [])
  }

  const refresh = createBatcher(
    async (callers: string[]) => {
      await readChanges()
      return callers.map(() => undefined)
    },
    // One at a time, so that positions follow each other.
    {
      maxRunning: 1,
      maxBatchRows: Number.MAX_SAFE_INTEGER,
      callerOf: (workspaceId) => workspaceId,
    },
  )

  return { ...versions, refresh }
}
