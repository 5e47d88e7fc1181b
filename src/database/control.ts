import { Pool, type PoolConfig } from 'pg'
import { statementError } from './database-errors.ts'

/** A way to PostgreSQL beside the pools, for when these are full. */
export type Control = {
  /** Makes the connection with this process id give up its statement. */
  cancel(processId: number): Promise<void>
  /** Whether any service app is active; fails within seconds while PostgreSQL is away. */
  hasActiveApps(): Promise<boolean>
  close(): Promise<void>
}

/** Whether any service app is active, in one row. */
export const activeAppsSql = 'select exists (select from service_apps where is_active) as active'

/** Milliseconds in which an operator's question is answered. */
const patience = { connectionTimeoutMillis: 2000, query_timeout: 2000 }

/** Connects at the first use. */
export function createControl(config: PoolConfig, onError: (error: Error) => void): Control {
  const pool = new Pool({ ...config, ...patience, max: 2 })
  pool.on('error', onError)
  return {
    async cancel(processId) {
      await pool.query('select pg_cancel_backend($1)', [processId])
    },
    async hasActiveApps() {
      try {
        const { rows } = await pool.query<{ active: boolean }>(activeAppsSql)
        return rows[0]?.active === true
      } catch (error) {
        throw statementError(error)
      }
    },
    close: () => pool.end(),
  }
}
