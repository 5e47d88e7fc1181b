import type { EntityManager } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { makeStatementsCancellable } from './asked-clients.ts'
import { type Control, createControl } from './control.ts'
import { openOrm } from './orm.ts'
import { type PoolCounts, poolCounts } from './pool-counts.ts'
import { createStatementPool, type StatementPool } from './statement-pool.ts'
import { timeouts } from './timeouts.ts'

/** The connections of a node to PostgreSQL. */
export type Database = {
  /** Creates an entity manager for one call. */
  fork(): EntityManager
  /** Prepared statements on the path of every call. */
  statements: StatementPool
  /** Connections that stay available when the pools are exhausted. */
  control: Control
  /** The connections of each pool, for metrics. */
  counts(): { statements: PoolCounts; entities: PoolCounts }
  close(): Promise<void>
}

/** Opens the database at `url` and connects at the first use. `warn` is called for lost connections. */
export async function openDatabase(url: string, warn: (text: string) => void): Promise<Database> {
  const onError = (error: Error) => warn(error.message)
  const control = createControl({ connectionString: url }, onError)
  const config = { connectionString: url, max: 3, ...timeouts }
  const statements = createStatementPool(config, onError, control.cancel)
  let entityPool: Pool | undefined
  const orm = await openOrm(url, (pool) => {
    entityPool = pool
    makeStatementsCancellable(pool, control.cancel)
  })
  return {
    statements,
    control,
    fork: () => orm.em.fork(),
    counts: () => ({
      statements: statements.counts(),
      entities: entityPool ? poolCounts(entityPool) : { used: 0, idle: 0, waiting: 0 },
    }),
    async close() {
      await statements.close()
      await control.close()
      await orm.close(true)
    },
  }
}
