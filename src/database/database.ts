import type { EntityManager } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { type ControlConnection, createControlConnection } from './control-connection.ts'
import { openOrm } from './orm.ts'
import { countConnections, maxStatementConnections, type PoolCounts, poolTimeouts } from './pool.ts'
import { createStatementPool, type StatementPool } from './statement-pool.ts'

/** The connections of a node to PostgreSQL. */
export type Database = {
  /** Creates an entity manager for one call. */
  fork(): EntityManager
  /** Runs the prepared statements that every call waits for. */
  statements: StatementPool
  /** Stays available when the pools are exhausted. */
  control: ControlConnection
  /** The connections of each pool, for metrics. */
  counts(): { statements: PoolCounts; entities: PoolCounts }
  close(): Promise<void>
}

/** Opens the database at `url` and connects at the first use. `warn` is called for lost connections. */
export async function openDatabase(
  url: string,
  warn: (text: string) => void,
  timeouts = poolTimeouts,
): Promise<Database> {
  const onError = (error: Error) => warn(error.message)
  const control = createControlConnection({ connectionString: url }, onError)
  const config = { connectionString: url, max: maxStatementConnections, ...timeouts }
  const statements = createStatementPool(config, onError, control.cancel)
  let entityPool: Pool | undefined
  const orm = await openOrm(url, {
    timeouts,
    cancelBackend: control.cancel,
    onPoolCreated(pool) {
      entityPool = pool
    },
  })
  return {
    statements,
    control,
    fork: () => orm.em.fork(),
    counts: () => ({
      statements: statements.counts(),
      entities: entityPool ? countConnections(entityPool) : { used: 0, idle: 0, waiting: 0 },
    }),
    async close() {
      await statements.close()
      await control.close()
      await orm.close(true)
    },
  }
}
