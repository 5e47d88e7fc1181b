import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase, PoolConfig } from 'pg'
import { requestScope } from '../../core/request-scope.ts'
import { createBatcher } from '../batching.ts'
import { statementError } from '../database-errors.ts'
import { lockTimeout, withClient } from '../pool.ts'
import { createGenericPlanPool } from '../statement-pool.ts'
import { type ClockOffset, measureClockOffset } from './clock-offset.ts'
import { type LogPosition, parseLsn, parseTimeline } from './replica-choice.ts'
import { createSettledSnapshots, type PrimarySnapshot } from './settled-snapshots.ts'
import { createSystemIdentifiers } from './system-identifiers.ts'

/** The position that a read must include, and the state of the primary. */
export type ReadIndex = {
  position: LogPosition
  /** Commits are acknowledged only after they are flushed, so `position` includes each of them. */
  isDurable: boolean
  clock: ClockOffset
  /** Included in `position`, and in that of each later read. Undefined if none is known yet. */
  included: PrimarySnapshot | undefined
}

/** Reads the index on the primary. */
export type ReadIndexSource = {
  /**
   * Returns a position that includes every write acknowledged before the call. Concurrent callers
   * share a statement, but none joins one that was already sent.
   *
   * @throws a ServiceError `unavailable` without a primary
   */
  read(): Promise<ReadIndex>
  /**
   * Waits until the primary shows every commit that a standby may have shown before the call.
   *
   * PostgreSQL flushes a commit before it makes it visible: immediately, or after a synchronous
   * standby has confirmed it. Standbys may replay it in between. A read on the primary could then
   * return the state before a commit that an earlier read on a standby included.
   */
  awaitCommits(): Promise<void>
  close(): Promise<void>
}

/**
 * These functions fail on a standby. The name of the WAL file starts with the timeline. With
 * `synchronous_commit = off`, PostgreSQL acknowledges a commit before it is flushed.
 */
const readIndexSql = `
  select lsn::text, pg_walfile_name(lsn), current_setting('synchronous_commit'),
    extract(epoch from clock_timestamp())::float8 * 1000, pg_current_snapshot()::text,
    facts_identity(), pg_current_wal_insert_lsn()::text
  from pg_current_wal_flush_lsn() as lsn`

/**
 * Commits a message, which flushes the log. The setting applies to this statement only, and does
 * not wait for standbys.
 * See docs/decisions/memory.md#wal-position-within-a-record.
 */
const flushSql = `
  select set_config('synchronous_commit', 'local', true),
    pg_logical_emit_message(true, 'daikon', 'read index')`

/**
 * Returns the transactions that are being committed. A transaction has its ID until it is visible.
 * Only members of pg_read_all_stats see the rows of other users, but all nodes write as the same
 * user.
 */
const committingSql = `
  select backend_xid::text from pg_stat_activity
  where backend_xid is not null and state = 'active'
    and (query ~* '^\\s*commit' or wait_event = 'SyncRep')`

/** Bytes of a page of the log, unless PostgreSQL was built with other pages. */
const pageSize = 8192n

type Row = [
  lsn: string,
  walFile: string,
  synchronousCommit: string,
  time: number,
  snapshot: string,
  identity: string | null,
  insertLsn: string,
]

/** Enough connections for two concurrent statements of each of the two kinds. */
const maxConnections = 4
const maxRunning = 2

/**
 * Creates the source with its own connections to the primary of `config`, so that a read never
 * waits behind long statements.
 */
export function createReadIndexSource(
  config: PoolConfig,
  onError: (error: Error) => void,
): ReadIndexSource {
  const systems = createSystemIdentifiers()
  const settle = createSettledSnapshots()
  const pool = createGenericPlanPool(
    { ...config, max: maxConnections, onConnect: systems.onConnect },
    onError,
  )
  /**
   * Commits that hang because a synchronous standby is unavailable. Later reads do not wait for
   * them.
   */
  let stalled = new Set<string>()

  async function readFrom(client: ClientBase): Promise<ReadIndex> {
    const index = await readFlushed(client)
    // A background flush can end in the middle of a record, which a standby cannot replay until the
    // rest is flushed. During a large transaction, that takes up to 200 ms. Such a flush ends at a
    // page boundary.
    if (index.position.lsn % pageSize !== 0n) return index
    await client.query({ name: 'flush', text: flushSql })
    return readFlushed(client)
  }

  async function readFlushed(client: ClientBase): Promise<ReadIndex> {
    const sentAt = performance.now()
    const { rows } = await client.query<Row>({
      name: 'read index',
      text: readIndexSql,
      rowMode: 'array',
    })
    const [flushLsn, walFile, synchronousCommit, time, snapshot, identity, insertLsn] =
      rows[0] as Row
    const flushed = parseLsn(flushLsn)
    const included =
      identity === null
        ? undefined
        : settle({ snapshot, identity, lsn: parseLsn(insertLsn) }, flushed)
    return {
      position: {
        system: systems.of(client),
        timeline: parseTimeline(walFile),
        // A concurrent statement may have settled a later one.
        lsn: included && included.lsn > flushed ? included.lsn : flushed,
      },
      isDurable: synchronousCommit !== 'off',
      clock: measureClockOffset(time, sentAt),
      included,
    }
  }

  async function waitForCommits(client: ClientBase): Promise<void> {
    const deadline = performance.now() + lockTimeout
    const atStart = await findCommitting(client)
    let remaining = atStart.filter((transaction) => !stalled.has(transaction))
    while (remaining.length > 0 && performance.now() < deadline) {
      await sleep(1)
      const committing = new Set(await findCommitting(client))
      remaining = remaining.filter((transaction) => committing.has(transaction))
    }
    const alreadyStalled = atStart.filter((transaction) => stalled.has(transaction))
    stalled = new Set([...alreadyStalled, ...remaining])
  }

  async function findCommitting(client: ClientBase): Promise<string[]> {
    const { rows } = await client.query<[string]>({
      name: 'committing',
      text: committingSql,
      rowMode: 'array',
    })
    return rows.map(([transaction]) => transaction)
  }

  /** Shares the work of concurrent callers. */
  function share<Result>(work: (client: ClientBase) => Promise<Result>): () => Promise<Result> {
    const shared = createBatcher(
      async (callers: undefined[]) => {
        try {
          const result = await withClient(pool, work)
          return callers.map(() => result)
        } catch (error) {
          throw statementError(error)
        }
      },
      { maxRunning },
    )
    return () => shared(undefined, requestScope.getStore())
  }

  return {
    read: share(readFrom),
    awaitCommits: share(waitForCommits),
    close: () => pool.end(),
  }
}
