import type { ClientBase, PoolConfig } from 'pg'
import { requestScope } from '../core/request-scope.ts'

/**
 * What statements rely on, whatever the database, its user or the URL sets. Dates are read in this format
 * only, positions need every digit, and transactions must see what was committed while they waited for a
 * lock. Parameters contain arrays with NULL, and statements contain backslashes. pg-boss's functions
 * fail if every name is quoted. Pools close idle sessions themselves: a call would fail with one that
 * PostgreSQL ends as it begins.
 */
const required = {
  DateStyle: 'ISO',
  TimeZone: 'UTC',
  extra_float_digits: '1',
  default_transaction_isolation: 'read committed',
  array_nulls: 'on',
  standard_conforming_strings: 'on',
  quote_all_identifiers: 'off',
  idle_session_timeout: '0',
}

/**
 * Returns the configuration of a pool whose sessions have the given settings of PostgreSQL, and those that
 * every statement relies on.
 *
 * The settings are applied once a connection is open, because PgBouncer rejects them as startup
 * parameters. The process ID of the session is read, too: behind PgBouncer, pg knows only an ID with
 * which no statement can be cancelled.
 */
export function withSessionSettings(
  { statement_timeout, lock_timeout, onConnect, ...config }: PoolConfig,
  settings: Record<string, string>,
): PoolConfig {
  const all = Object.entries({ ...required, ...settings, statement_timeout, lock_timeout })
  const given = all.filter(([, value]) => value !== undefined)
  const calls = given.map((_, index) => `set_config($${2 * index + 1}, $${2 * index + 2}, false)`)
  const text = `select ${['pg_backend_pid()', ...calls].join(', ')}`
  const values = given.flatMap(([name, value]) => [name, String(value)])
  return {
    ...config,
    async onConnect(client: ClientBase) {
      // Outside the scope of the call that caused the connection, which other calls will use.
      const { rows } = await requestScope.exit(() =>
        client.query<[processId: number]>({ text, values, rowMode: 'array' }),
      )
      Object.assign(client, { processID: rows[0]?.[0] })
      await onConnect?.(client)
    },
  }
}
