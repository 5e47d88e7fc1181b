import { Pool, type PoolConfig } from 'pg'
import { statementFault } from './storage-fault.ts'

/** Prepared statements over a few connections of their own; the ORM prepares nothing. */
export type StatementPool = {
  /** Runs the statement known by `name`, its rows as arrays. */
  rows<Row extends unknown[]>(name: string, sql: string, values: unknown[]): Promise<Row[]>
  close(): Promise<void>
}

/**
 * The pool of the statements that every call waits for. Their plans are generic: a statement over
 * arrays would otherwise be planned anew at each execution, at three times its work.
 */
export function createStatementPool(
  config: PoolConfig,
  onError: (error: Error) => void,
): StatementPool {
  const pool = new Pool({ ...config, options: '-c plan_cache_mode=force_generic_plan -c jit=off' })
  pool.on('error', onError)
  return {
    async rows<Row extends unknown[]>(name: string, text: string, values: unknown[]) {
      try {
        const result = await pool.query<Row>({ name, text, values, rowMode: 'array' })
        return result.rows
      } catch (error) {
        throw statementFault(error)
      }
    },
    close: () => pool.end(),
  }
}
