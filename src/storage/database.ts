import type { EntityManager, MikroORM } from '@mikro-orm/postgresql'
import type { Pool } from 'pg'
import { followAskers } from './asked-clients.ts'
import { type Control, createControl } from './control.ts'
import { type PoolCounts, poolCounts } from './pool-counts.ts'
import { createStatementPool, type StatementPool } from './statement-pool.ts'
import { timeouts } from './timeouts.ts'

/** PostgreSQL, as the rooms see it. */
export type Database = {
  /** A fork of its own for each call; the ORM is read for the first. */
  fork(): Promise<EntityManager>
  /** The prepared statements that every call waits for. */
  statements: StatementPool
  /** For the operator's questions. */
  control: Control
  /** The pools by name. */
  counts(): { statements: PoolCounts; entities: PoolCounts }
  close(): Promise<void>
}

/** Opens the database at `url`; connects at the first use. `warn` hears of connections lost. */
export function openDatabase(url: string, warn: (text: string) => void): Database {
  const onError = (error: Error) => warn(error.message)
  const control = createControl({ connectionString: url }, onError)
  const config = { connectionString: url, max: 3, ...timeouts }
  const statements = createStatementPool(config, onError, control.cancel)
  let pool: Pool | undefined
  let orm: Promise<MikroORM> | undefined
  async function open() {
    const { openOrm } = await import('./orm.ts')
    return openOrm(url, (created) => {
      pool = created
      followAskers(created, control.cancel)
    })
  }
  return {
    ...{ statements, control },
    async fork() {
      orm ??= open()
      return (await orm).em.fork()
    },
    counts: () => ({
      statements: statements.counts(),
      entities: pool ? poolCounts(pool) : { used: 0, idle: 0, waiting: 0 },
    }),
    async close() {
      await statements.close()
      await control.close()
      await (await orm)?.close(true)
    },
  }
}
