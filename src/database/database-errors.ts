import type { DriverException } from '@mikro-orm/core'
import pg from 'pg'
import { ServiceError } from '../core/errors.ts'

/** SQLSTATE classes and codes that say "not now" rather than "never" (PostgreSQL, appendix A). */
const passing = [
  '08', // connection exceptions
  '53', // insufficient resources: connections, disk, memory
  '57', // operator intervention: shutdown, cancellation, time-out
  '58', // system errors
  '40', // serialization, deadlock
  '25006', // read only: a standby after a failover
  '55P03', // lock not available
]

/** An error of the driver as a Fault when PostgreSQL is away or busy, else as it is. */
export function databaseError(error: unknown): unknown {
  const state = sqlState(error)
  return state === undefined || !isPassing(state) ? error : unavailable(error)
}

/** The same where the error can only be the driver's: what has no SQLSTATE is the connection's. */
export function statementError(error: unknown): unknown {
  return isPassing(sqlState(error) ?? '') ? unavailable(error) : error
}

/** Whether the error says that a unique or foreign key did not hold. */
export function violates(error: unknown, key: 'unique' | 'foreign'): boolean {
  return sqlState(error) === (key === 'unique' ? '23505' : '23503')
}

/** Whether PostgreSQL gave this transaction up so that others could go on. */
export function isDeadlock(error: unknown): boolean {
  return sqlState(error)?.startsWith('40') === true
}

/** Whether the database lacks tables or columns of ours: it waits for its migrations. */
export function lacksMigrations(error: unknown): boolean {
  return ['42P01', '42703'].includes(sqlState(error) ?? '')
}

function unavailable(cause: unknown): ServiceError {
  const detail = 'The database is not available'
  return new ServiceError('unavailable', 'STORAGE_UNAVAILABLE', detail, { retryAfter: 1, cause })
}

function isPassing(state: string): boolean {
  if (state === '08P01') return false // a protocol violation: our own mistake, such as bytes that are no text
  return state === '' || passing.some((prefix) => state.startsWith(prefix))
}

/** '' is a failure of the connection; undefined is no failure of storage. */
function sqlState(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return error.code ?? ''
  if (!isDriverException(error)) return undefined
  return typeof error.code === 'string' && /^[0-9A-Z]{5}$/.test(error.code) ? error.code : ''
}

/** By its fields: to have the class is to read the whole ORM, for which no check should wait. */
function isDriverException(error: unknown): error is DriverException {
  return error instanceof Error && 'sqlMessage' in error && 'errmsg' in error
}
