import { Pool, type PoolConfig } from 'pg'
import { statementError } from './database-errors.ts'
import { countConnections, type PoolCounts, withClient, withoutJit } from './pool.ts'
import { withSessionSettings } from './session-settings.ts'
import { retryDeadlocks } from './transaction.ts'

/** Runs prepared statements. */
export type Statements = {
  /** Runs the statement that is prepared as `name` and returns its rows as arrays. */
  rows<Row extends unknown[]>(name: string, sql: string, values: unknown[]): Promise<Row[]>
}

/** Runs prepared statements on dedicated connections. */
export type StatementPool = Statements & {
  counts(): PoolCounts
  close(): Promise<void>
}

/**
 * Creates the pool for the statements that every call depends on. It forces generic plans:
 * PostgreSQL would otherwise plan a statement over arrays at each execution, which takes three
 * times as long.
 */
export function createStatementPool(
  config: PoolConfig,
  onError: (error: Error) => void,
): StatementPool {
  const pool = createGenericPlanPool(config, onError)
  return {
    async rows<Row extends unknown[]>(name: string, text: string, values: unknown[]) {
      try {
        // A migration that alters several tables can deadlock even with a statement that only reads.
        const { rows } = await retryDeadlocks(() =>
          withClient(pool, (client) => client.query<Row>({ name, text, values, rowMode: 'array' })),
        )
        return rows
      } catch (error) {
        throw statementError(error)
      }
    },
    counts: () => countConnections(pool),
    close: () => pool.end(),
  }
}

/**
 * Creates a pool whose connections force generic plans by index. A plan that is made while a table is
 * almost empty would otherwise read all of it, and stay in use while thousands of rows are added.
 */
export function createGenericPlanPool(config: PoolConfig, onError: (error: Error) => void): Pool {
  const pool = new Pool(
    withSessionSettings(config, {
      plan_cache_mode: 'force_generic_plan',
      enable_seqscan: 'off',
      ...withoutJit,
    }),
  )
  pool.on('error', onError)
  // The running statement of a lost connection fails on its own. Without this listener, the process
  // would exit.
  pool.on('connect', (client) => client.on('error', () => {}))
  return pool
}
