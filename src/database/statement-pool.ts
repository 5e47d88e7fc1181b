import { Pool, type PoolConfig } from 'pg'
import { type RequestScope, requestScope } from '../core/request-scope.ts'
import { withSpan } from '../core/trace.ts'
import { type CancelBackend, cancellable } from './cancellable.ts'
import { statementError } from './database-errors.ts'
import { withClient } from './lend.ts'
import { type PoolCounts, poolCounts } from './pool-counts.ts'

/** Prepared statements over a few connections of their own; the ORM prepares nothing. */
export type StatementPool = {
  /** Runs the statement known by `name`, its rows as arrays, until its scope goes. */
  rows<Row extends unknown[]>(
    name: string,
    sql: string,
    values: unknown[],
    scope?: RequestScope,
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
  cancel: CancelBackend,
): StatementPool {
  const pool = new Pool({ ...config, options: '-c plan_cache_mode=force_generic_plan -c jit=off' })
  pool.on('error', onError)
  // A connection lost while a statement runs is told of twice: its statement fails, too.
  pool.on('connect', (client) => client.on('error', () => {}))

  async function run<Row extends unknown[]>(
    query: { name: string; text: string; values: unknown[] },
    scope: RequestScope | undefined,
  ): Promise<Row[]> {
    try {
      return await withClient(pool, async (client) => {
        const work = () => client.query<Row>({ ...query, rowMode: 'array' })
        return (await cancellable(client, scope, cancel, work)).rows
      })
    } catch (error) {
      throw statementError(error)
    }
  }

  return {
    rows(name, text, values, scope = requestScope.getStore()) {
      const work = () => run<never>({ name, text, values }, scope)
      return withSpan(scope?.span, name, { 'db.system.name': 'postgresql' }, work)
    },
    counts: () => poolCounts(pool),
    close: () => pool.end(),
  }
}
