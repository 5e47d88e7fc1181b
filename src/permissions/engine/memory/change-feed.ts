import type { RequestScope } from '../../../core/request-scope.ts'
import { createBatcher } from '../../../database/batching.ts'
import type { Statements } from '../../../database/statement-pool.ts'
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

/**
 * How far the last statement read: the changes visible in `snapshot`, on the server process that
 * started at `serverStart`.
 */
type Position = { snapshot: string; serverStart: string; readAt: string }

type Row = [
  snapshot: string,
  serverStart: string,
  readAt: string,
  isComplete: boolean | null,
  changes: Change[] | null,
]

/** If one statement returns more changes than this, all facts count as changed. */
const maxChanges = 1000

/**
 * $1 to $3 are the snapshot, server start and read time of the last position, or nulls; $4 is the
 * limit.
 *
 * Returns the new position and the changes since the last one. `isComplete` is false or null if
 * changes may be missing: they were pruned, the server was replaced, or its clock was set back. A
 * transaction is not visible in a snapshot if it began later or is in the snapshot's list of
 * running transactions. Testing these two conditions separately keeps the query fast while a
 * transaction runs for hours. Shares, memberships and keys expire without a change to their rows, so
 * those that expired since the last position are also returned as changes.
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
      select workspace_id, user_id from ending_members
        where expires_at > $3::timestamptz and expires_at <= statement_timestamp()
      union all
      select null, null where exists (
        select from service_keys
        where expires_at > $3::timestamptz and expires_at <= statement_timestamp())
      limit $4
    ) change
  )`

/**
 * Creates a feed that reads changes from the primary. Triggers record each change with its
 * transaction ID (migration 024), so a statement can select the changes that an earlier snapshot
 * did not include.
 */
export function createChangeFeed(
  statements: Statements,
  versions = createChangeVersions(),
): ChangeFeed {
  let position: Position | undefined

  async function readChanges(): Promise<string> {
    const { snapshot = null, serverStart = null, readAt = null } = position ?? {}
    const values = [snapshot, serverStart, readAt, maxChanges + 1]
    const [row] = await statements.rows<Row>('access changes', changesSql, values)
    const [newSnapshot, newServerStart, newReadAt, isComplete, changes] = row as Row
    position = { snapshot: newSnapshot, serverStart: newServerStart, readAt: newReadAt }
    if (isComplete !== true || (changes?.length ?? 0) > maxChanges) versions.applyAll()
    else versions.apply(changes ?? [])
    return newReadAt
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
      callerOf: (workspaceId) => workspaceId,
    },
  )

  return { ...versions, refresh }
}
