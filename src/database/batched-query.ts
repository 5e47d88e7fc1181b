import type { EntityManager } from '@mikro-orm/postgresql'
import pg, { type Pool, type PoolClient } from 'pg'
import { requestScope } from '../core/request-scope.ts'
import { withSpan } from '../core/trace.ts'
import { createBatcher } from './batching.ts'
import { statementError } from './database-errors.ts'
import { isConnectionUsable, withClient } from './pool.ts'
import { retryDeadlocks } from './transaction.ts'

/**
 * A prepared statement that concurrent callers share. `$1` is a JSON array of their items, each with
 * its `place` in the array; each row returned names the `place` of its item.
 */
export type BatchedQuery = {
  /** The name of the prepared statement and of its span. */
  name: string
  sql: string
  /**
   * The statement writes. It then runs in a transaction, and must write its items in a fixed order,
   * so that two batches do not deadlock.
   */
  isWrite?: boolean
}

type ItemResult = { row?: object | undefined; error?: unknown }
type Batcher = ReturnType<typeof createBatcher<object, ItemResult>>

/** The batchers of each pool, which all forks of an entity manager share, by statement name. */
const batchersByPool = new WeakMap<Pool, Map<string, Batcher>>()

/**
 * Runs a statement for one item, together with the items of other callers, and returns the row of the
 * item. It runs outside the transaction of `em`.
 *
 * @throws the error that PostgreSQL reports for this item alone, or a ServiceError `unavailable`
 */
export async function batched<Row extends object>(
  em: EntityManager,
  query: BatchedQuery,
  item: object,
): Promise<Row | undefined> {
  const run = requireBatcher(await em.getConnection().getNativeClient(), query)
  const scope = requestScope.getStore()
  const attributes = { 'db.system.name': 'postgresql' }
  const { row, error } = await withSpan(scope?.span, query.name, attributes, () => run(item, scope))
  if (error) throw error
  return row as Row | undefined
}

function requireBatcher(pool: Pool, query: BatchedQuery): Batcher {
  const batchers = batchersByPool.get(pool) ?? new Map<string, Batcher>()
  batchersByPool.set(pool, batchers)
  const batcher = batchers.get(query.name) ?? createBatcher((items) => runBatch(pool, query, items))
  batchers.set(query.name, batcher)
  return batcher
}

/** If PostgreSQL rejects a batch, runs each item alone, so that no caller fails because of another. */
async function runBatch(pool: Pool, query: BatchedQuery, items: object[]): Promise<ItemResult[]> {
  const json = JSON.stringify(items.map((item, place) => ({ ...item, place })))
  try {
    const rows = await runPrepared(pool, query, [json])
    const rowsByPlace = new Map(rows.map(({ place, ...row }) => [place, row]))
    return items.map((_, place) => ({ row: rowsByPlace.get(place) }))
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) throw error
    if (items.length === 1) return [{ error }]
    return (await Promise.all(items.map((item) => runBatch(pool, query, [item])))).flat()
  }
}

async function runPrepared(pool: Pool, { name, sql, isWrite }: BatchedQuery, values: unknown[]) {
  async function run(client: PoolClient) {
    const { rows } = await client.query<{ place: number }>({ name, text: sql, values })
    return rows
  }
  const work = isWrite ? (client: PoolClient) => commitAfter(client, run) : run
  try {
    return await retryDeadlocks(() => withClient(pool, work))
  } catch (error) {
    throw statementError(error)
  }
}

/**
 * Runs a single statement in a transaction. Without one, it would be committed even if the connection
 * is cut while it runs, although its caller receives an error.
 */
async function commitAfter<Result>(
  client: PoolClient,
  run: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  await client.query('begin')
  try {
    const result = await run(client)
    await client.query('commit')
    return result
  } catch (error) {
    if (isConnectionUsable(error)) await client.query('rollback')
    throw error
  }
}
