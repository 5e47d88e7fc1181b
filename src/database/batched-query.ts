import type { EntityManager } from '@mikro-orm/postgresql'
import pg, { type Pool, type PoolClient } from 'pg'
import { type RequestScope, requestScope } from '../core/request-scope.ts'
import { withSpan } from '../core/trace.ts'
import { createBatcher } from './batching.ts'
import {
  isLockTimeout,
  isStatementCancelled,
  lockTimedOut,
  statementError,
} from './database-errors.ts'
import { isConnectionUsable, lockTimeout, withClient } from './pool.ts'
import { retryDeadlocks } from './transaction.ts'

/**
 * A prepared statement that concurrent callers share. `$1` is a JSON array of their items, each
 * with its `index` in the array; each row returned names the `index` of its item.
 */
export type BatchedQuery = {
  /** The name of the prepared statement and of its span. */
  name: string
  sql: string
  /**
   * The statement writes. It then runs in a transaction, and must write its items in a fixed order,
   * so that two batches do not deadlock. Each item has a `workspace_id`.
   */
  isWrite?: boolean
}

type Item = { workspace_id?: string; [field: string]: unknown }

/** A row, an error from PostgreSQL, or a marker that the item must run in its own statement. */
type ItemResult = { row?: object | undefined; error?: unknown; mustRunAlone?: true }

/** An item that runs in a separate statement. */
type SingleItem = { query: BatchedQuery; item: Item; deadline: number }

type Batcher<Query> = ReturnType<typeof createBatcher<Query, ItemResult>>

/** The batchers of a pool, which all forks of an entity manager share. */
type PoolBatchers = {
  pool: Pool
  /** Batches by statement name. */
  shared: Map<string, Batcher<Item>>
  /** Runs items of failed batches, one per statement. They wait only briefly for locks. */
  single: Batcher<SingleItem>
  /** Runs items that wait for a lock until their deadline, one per statement. */
  locked: Batcher<SingleItem>
  /** The number of items in `locked`, by workspace. */
  lockedItems: Map<string, number>
}

/** The maximum wait for each lock, and the maximum duration of a statement, in milliseconds. */
type Timeouts = { lockTimeout: number; statementTimeout: number }

/** For statements that other callers wait for. */
const sharedTimeouts: Timeouts = { lockTimeout: 200, statementTimeout: 3000 }

/**
 * Limits for an item whose deadline has passed. Each item still gets at least one attempt in
 * `single` and one in `locked`.
 */
const lateLockTimeouts = { single: 20, locked: 200 }

/** One at a time, so that items of a failed batch do not wait for each other's locks. */
const maxRunningSingle = 1

/** Connections that wait for locks, so that others remain for batches. */
const maxRunningLocked = 3

const batchersByPool = new WeakMap<Pool, PoolBatchers>()

/**
 * Runs a statement for one item, together with the items of other callers, and returns the row of
 * the item. It runs outside the transaction of `em`.
 *
 * An item that PostgreSQL rejects, or that needs a locked row, does not affect other items:
 *
 *     item ──► shared ── the batch failed ──► single ── a lock timed out ──► locked
 *        │        │                           ▲  │                             │
 *        │        ▼                           │  ▼                             ▼
 *        │       row                          │ row or error           row or error
 *        └── a write of a workspace with ─────┘
 *            items in `locked`
 *
 * | State | Items in a statement | Statements at a time | Wait for each lock |
 * | --- | --- | --- | --- |
 * | shared | many | those of `createBatcher` | 200 ms |
 * | single | 1 | 1 | 200 ms; 20 ms after the deadline |
 * | locked | 1 | 3 | until the deadline, at least 200 ms |
 *
 * The deadline is `lockTimeout` after the call.
 *
 * @throws the error that PostgreSQL reports for this item alone, or a ServiceError `unavailable`
 */
export async function batched<Row extends object>(
  em: EntityManager,
  query: BatchedQuery,
  item: Item,
): Promise<Row | undefined> {
  const batchers = requireBatchers(await em.getConnection().getNativeClient())
  const scope = requestScope.getStore()
  const attributes = { 'db.system.name': 'postgresql' }
  const { row, error } = await withSpan(scope?.span, query.name, attributes, () =>
    runItem(batchers, query, item, scope),
  )
  if (error) throw hasTimedOut(error) ? lockTimedOut(error) : error
  return row as Row | undefined
}

async function runItem(
  batchers: PoolBatchers,
  query: BatchedQuery,
  item: Item,
  scope: RequestScope | undefined,
): Promise<ItemResult> {
  const entry = { query, item, deadline: performance.now() + lockTimeout }
  const { shared, single, locked, lockedItems } = batchers
  const workspace = workspaceOf(item)
  if (!query.isWrite || !lockedItems.has(workspace)) {
    const batcher = shared.get(query.name) ?? createSharedBatcher(batchers.pool, query)
    shared.set(query.name, batcher)
    const result = await batcher(item, scope)
    if (!result.mustRunAlone) return result
  }
  const result = await single(entry, scope)
  if (!hasTimedOut(result.error)) return result
  lockedItems.set(workspace, (lockedItems.get(workspace) ?? 0) + 1)
  try {
    return await locked(entry, scope)
  } finally {
    const others = (lockedItems.get(workspace) ?? 0) - 1
    if (others > 0) lockedItems.set(workspace, others)
    else lockedItems.delete(workspace)
  }
}

function requireBatchers(pool: Pool): PoolBatchers {
  const batchers = batchersByPool.get(pool) ?? {
    pool,
    shared: new Map(),
    single: createSingleBatcher(maxRunningSingle, ({ query, item, deadline }) => {
      const isLate = performance.now() > deadline
      const lockTimeout = isLate ? lateLockTimeouts.single : sharedTimeouts.lockTimeout
      return runBatch(pool, query, [item], { lockTimeout, statementTimeout: 1000 })
    }),
    locked: createSingleBatcher(maxRunningLocked, ({ query, item, deadline }) => {
      const remaining = Math.floor(deadline - performance.now())
      const lockTimeout = Math.max(remaining, lateLockTimeouts.locked)
      // A statement can also be slow without waiting for locks, because PostgreSQL is busy.
      const statementTimeout = lockTimeout + sharedTimeouts.statementTimeout
      return runBatch(pool, query, [item], { lockTimeout, statementTimeout })
    }),
    lockedItems: new Map(),
  }
  batchersByPool.set(pool, batchers)
  return batchers
}

const workspaceOf = ({ workspace_id = '' }: Item) => workspace_id

function createSharedBatcher(pool: Pool, query: BatchedQuery): Batcher<Item> {
  return createBatcher((items) => runBatch(pool, query, items, sharedTimeouts), {
    callerOf: workspaceOf,
  })
}

function createSingleBatcher(
  maxRunning: number,
  run: (entry: SingleItem) => Promise<ItemResult[]>,
): Batcher<SingleItem> {
  return createBatcher(([entry]) => run(entry as SingleItem), {
    maxBatchRows: 1,
    maxRunning,
    callerOf: ({ item }) => workspaceOf(item),
  })
}

/**
 * If PostgreSQL rejects a batch, each item runs alone, so that no caller fails because of another.
 */
async function runBatch(
  pool: Pool,
  query: BatchedQuery,
  items: Item[],
  timeouts: Timeouts,
): Promise<ItemResult[]> {
  const json = JSON.stringify(items.map((item, index) => ({ ...item, index })))
  try {
    const rows = await runPrepared(pool, query, [json], timeouts)
    const rowsByIndex = new Map(rows.map(({ index, ...row }) => [index, row]))
    return items.map((_, index) => ({ row: rowsByIndex.get(index) }))
  } catch (error) {
    const failure = hasTimedOut(error) ? error : statementError(error)
    if (!(failure instanceof pg.DatabaseError)) throw failure
    if (items.length === 1) return [{ error: failure }]
    return items.map(() => ({ mustRunAlone: true }))
  }
}

/** Whether a write timed out while waiting for one or more locks. */
function hasTimedOut(error: unknown): boolean {
  return isLockTimeout(error) || isStatementCancelled(error)
}

async function runPrepared(
  pool: Pool,
  { name, sql, isWrite }: BatchedQuery,
  values: unknown[],
  timeouts: Timeouts,
) {
  async function run(client: PoolClient) {
    const { rows } = await client.query<{ index: number }>({ name, text: sql, values })
    return rows
  }
  const work = isWrite ? (client: PoolClient) => commitAfter(client, timeouts, run) : run
  return retryDeadlocks(() => withClient(pool, work))
}

/**
 * Runs a single statement in a transaction. Without one, PostgreSQL would commit it even if the
 * connection is lost while it runs and the caller receives an error.
 */
async function commitAfter<Result>(
  client: PoolClient,
  { lockTimeout, statementTimeout }: Timeouts,
  run: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  // PostgreSQL applies lock_timeout to each lock, and a statement can wait for several.
  const settings = `set local lock_timeout = ${lockTimeout}; set local statement_timeout = ${statementTimeout}`
  await client.query(`begin; ${settings}`)
  try {
    const result = await run(client)
    await client.query('commit')
    return result
  } catch (error) {
    if (isConnectionUsable(error)) await client.query('rollback')
    throw error
  }
}
