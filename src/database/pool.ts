import pg, { type Pool, type PoolClient } from 'pg'
import { ServiceError } from '../core/errors.ts'
import { isPlanOutdated, isReadOnly } from './database-errors.ts'

/** Enough for the admitted calls (rpc/admit.ts) plus batched queries. */
export const maxEntityConnections = 24

/** Enough for the concurrent statements of the batchers of checks and evaluations (batching.ts). */
export const maxStatementConnections = 10

/** Milliseconds that a call waits for locks of other transactions. */
export const lockTimeout = 3000

/**
 * Milliseconds after which a connection attempt fails and after which a statement fails. PostgreSQL
 * ends a statement before the client stops waiting for it.
 */
export const poolTimeouts = {
  connectionTimeoutMillis: 3000,
  query_timeout: 10_000,
  statement_timeout: 9000,
  lock_timeout: lockTimeout,
}

/**
 * Turns off JIT compilation, which would add up to hundreds of milliseconds to short statements
 * that PostgreSQL expects to be expensive.
 */
export const withoutJit = { jit: 'off' }

/** For CLI commands, which do not delay other callers. */
export const commandTimeouts = { ...poolTimeouts, connectionTimeoutMillis: 15_000 }

/**
 * For migrations, which rewrite tables and build indexes. A migration that waits for a lock blocks
 * all later statements on the table, so it gives up quickly and tries again.
 */
export const migrationTimeouts = {
  connectionTimeoutMillis: 15_000,
  statement_timeout: 3_600_000,
  lock_timeout: 1000,
}

/** The connections of a pool, and the callers that wait for one. */
export type PoolCounts = { used: number; idle: number; waiting: number }

/** Counts the connections of a pool. */
export function countConnections({ totalCount, idleCount, waitingCount }: Pool): PoolCounts {
  return { used: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
}

/**
 * Runs `work` with a client of the pool. A client whose connection failed is not used again. `work`
 * runs again on another connection if a prepared statement is outdated on the first one.
 * See docs/decisions/upgrades.md#a-prepared-statement-that-a-migration-outdates.
 */
export async function withClient<Result>(
  pool: Pool,
  work: (client: PoolClient) => Promise<Result>,
): Promise<Result> {
  // Every connection of the pool may have prepared the statement, and is closed if it has.
  for (let remaining = pool.options.max; ; remaining -= 1) {
    const client = await pool.connect()
    let broken: Error | undefined
    try {
      return await work(client)
    } catch (error) {
      if (!isConnectionUsable(error)) broken = error as Error
      if (remaining === 0 || !isPlanOutdated(error)) throw error
    } finally {
      client.release(broken)
    }
  }
}

/**
 * Whether the connection is still usable after this error, because the statement was rejected or
 * never sent. A connection is not usable if its server accepts only reads, because a failover behind
 * one address may have left it there, or if it has prepared a statement that a migration has outdated.
 */
export function isConnectionUsable(error: unknown): boolean {
  if (error instanceof pg.DatabaseError) return !isReadOnly(error) && !isPlanOutdated(error)
  return error instanceof ServiceError
}
