import { Pool, type PoolConfig } from 'pg'
import { type Asker, asking } from '../rpc/asker.ts'
import { within } from '../rpc/trace.ts'
import { lend } from './lend.ts'
import { type PoolCounts, poolCounts } from './pool-counts.ts'
import { type Cancel, stoppable } from './stoppable.ts'
import { statementFault } from './storage-fault.ts'

/** Prepared statements over a few connections of their own; the ORM prepares nothing. */
export type StatementPool = {
  /** Runs the statement known by `name`, its rows as arrays, until its asker goes. */
  rows<Row extends unknown[]>(
    name: string,
    sql: string,
    values: unknown[],
    asker?: Asker,
  ): Promise<Row[]>
  counts(): PoolCounts
  close(): Promise<void>
}

/**
 * The pool of the statements that every call waits for. Their plans are generic: a statement over
 * arrays would otherwise be planned anew at each execution, at three times its work.
 */
export function createStatementPool(
  config: PoolConfig,
  onError: (error: Error) => void,
  cancel: Cancel,
): StatementPool {
  const pool = new Pool({ ...config, options: '-c plan_cache_mode=force_generic_plan -c jit=off' })
  pool.on('error', onError)
  // A connection lost while a statement runs is told of twice: its statement fails, too.
  pool.on('connect', (client) => client.on('error', () => {}))

  async function run<Row extends unknown[]>(
    query: { name: string; text: string; values: unknown[] },
    asker: Asker | undefined,
  ): Promise<Row[]> {
    try {
      return await lend(pool, async (client) => {
        const work = () => client.query<Row>({ ...query, rowMode: 'array' })
        return (await stoppable(client, asker, cancel, work)).rows
      })
    } catch (error) {
      throw statementFault(error)
    }
  }

  return {
    rows(name, text, values, asker = asking.getStore()) {
      const work = () => run<never>({ name, text, values }, asker)
      return within(asker?.span, name, { 'db.system.name': 'postgresql' }, work)
    },
    counts: () => poolCounts(pool),
    close: () => pool.end(),
  }
}
