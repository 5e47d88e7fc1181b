import { Pool, type PoolConfig } from 'pg'
import { statementError } from './database-errors.ts'
import { withClient } from './pool.ts'

/** A connection to PostgreSQL that stays available when the pools are exhausted. */
export type ControlConnection = {
  /** Cancels the running statement of the connection with this process ID. */
  cancel(processId: number): Promise<void>
  /** Queries the primary. Fails within seconds if it is unavailable or accepts only reads. */
  probe(): Promise<DatabaseProbe>
  close(): Promise<void>
}

export type DatabaseProbe = {
  /** Whether any service app is active. */
  hasActiveApps: boolean
  /**
   * Seconds that the clock of this process is ahead of the clock of PostgreSQL; negative if it is
   * behind. 0 if the duration of the query explains the difference.
   */
  clockOffset: number
}

/** Returns one row, `active`: whether any service app is active. */
export const activeAppsSql = 'select exists (select from service_apps where is_active) as active'

type ProbeRow = { active: boolean; read_only: boolean; database_time: string }

const probeSql = `
  select active, current_setting('transaction_read_only') = 'on' as read_only, extract(epoch from clock_timestamp()) * 1000 as database_time
  from (${activeAppsSql}) apps`

/**
 * Timeouts in milliseconds. They are shorter than the timeouts of the pools, so that readiness
 * probes do not time out.
 */
const timeouts = { connectionTimeoutMillis: 2000, query_timeout: 2000 }

/** Creates the control connection, which connects on first use. */
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
    async probe() {
      try {
        const sentAt = Date.now()
        const [row] = await withClient(pool, async (client) => {
          const { rows } = await client.query<ProbeRow>(probeSql)
          // Not an error of PostgreSQL, so that the connection is closed.
          if (rows[0]?.read_only) throw new Error('The server accepts only reads')
          return rows
        })
        // Date.now() truncates to whole milliseconds.
        const receivedAt = Date.now() + 1
        const databaseTime = Number(row?.database_time)
        // The server's clock was read between these two times, so the nearer one gives the smallest
        // possible difference.
        const nearest = Math.min(Math.max(databaseTime, sentAt), receivedAt)
        return {
          hasActiveApps: row?.active === true,
          clockOffset: (nearest - databaseTime) / 1000,
        }
      } catch (error) {
        throw statementError(error)
      }
    },
    close: () => pool.end(),
  }
}
