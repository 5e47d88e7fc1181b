import { Pool, type PoolConfig } from 'pg'
import { statementError } from './database-errors.ts'

/** A connection to PostgreSQL that stays available when the pools are exhausted. */
export type ControlConnection = {
  /** Cancels the statement that the connection with this process id runs. */
  cancel(processId: number): Promise<void>
  /** Whether any service app is active. Fails within seconds if PostgreSQL is unavailable. */
  hasActiveApps(): Promise<boolean>
  close(): Promise<void>
}

/** Returns one row, `active`: whether any service app is active. */
export const activeAppsSql = 'select exists (select from service_apps where is_active) as active'

/** In milliseconds. Shorter than those of the pools, so that readiness probes do not time out. */
const timeouts = { connectionTimeoutMillis: 2000, query_timeout: 2000 }

/** Creates the control connection; it connects at its first use. */
export function createControlConnection(
  config: PoolConfig,
  onError: (error: Error) => void,
): ControlConnection {
  const pool = new Pool({ ...config, ...timeouts, max: 2 })
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
