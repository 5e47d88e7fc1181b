import type { DriverException } from '@mikro-orm/core'
import pg from 'pg'
import { ServiceError } from '../core/errors.ts'
import { reasons } from './reasons.ts'

/** Classes and codes of temporary failures (PostgreSQL, Appendix A: Error Codes). */
const temporaryStates = [
  '08', // connection exceptions
  '53', // insufficient resources: connections, disk, memory
  '57', // operator intervention: shutdown, cancellation, timeout
  '58', // system errors
  '40', // transaction rollback: serialization failure, deadlock
  '25006', // read-only transaction: a standby after a failover
  '55000', // object not in prerequisite state: for example, reading the WAL position on a standby
  '55P03', // lock not available
]

/**
 * Converts an error of the database driver to a ServiceError `unavailable` if PostgreSQL is
 * unavailable or busy. Returns any other error unchanged.
 */
export function databaseError(error: unknown): unknown {
  const state = sqlState(error)
  return state === undefined || !isTemporary(state) ? error : unavailable(error)
}

/**
 * Like `databaseError`, for errors that can only come from a statement: an error without a SQLSTATE
 * is a connection failure.
 */
export function statementError(error: unknown): unknown {
  return isTemporary(sqlState(error) ?? '') ? unavailable(error) : error
}

/** Whether the error is a violation of a unique or foreign key constraint. */
export function violates(error: unknown, key: 'unique' | 'foreign'): boolean {
  return sqlState(error) === (key === 'unique' ? '23505' : '23503')
}

/** Whether PostgreSQL aborted the transaction because of a deadlock or a serialization failure. */
export function isDeadlock(error: unknown): boolean {
  return sqlState(error)?.startsWith('40') === true
}

/** Whether a table or column is missing: the migrations have not been applied. */
export function lacksMigrations(error: unknown): boolean {
  return ['42P01', '42703'].includes(sqlState(error) ?? '')
}

/** Whether PostgreSQL rejected a write because the server or session accepts only reads. */
export function isReadOnly(error: unknown): boolean {
  return sqlState(error) === '25006'
}

/**
 * Whether the result of a prepared statement has other columns than when it was prepared. PostgreSQL
 * rejects it on this connection from then on, before it runs. The message may be translated.
 */
export function isPlanOutdated(error: unknown): boolean {
  return error instanceof pg.DatabaseError && error.routine === 'RevalidateCachedQuery'
}

/** Whether a statement waited too long for a lock of another transaction. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === '55P03'
}

/** Whether PostgreSQL cancelled a statement, because of statement_timeout or on request. */
export function isStatementCancelled(error: unknown): boolean {
  return sqlState(error) === '57014'
}

/** The error of a call that waited too long for a lock of another transaction. */
export function lockTimedOut(cause?: unknown): ServiceError {
  return new ServiceError(reasons.LOCK_TIMEOUT, undefined, { retryAfter: 1, cause })
}

function unavailable(cause: unknown): ServiceError {
  if (isLockTimeout(cause)) return lockTimedOut(cause)
  return new ServiceError(reasons.STORAGE_UNAVAILABLE, undefined, { retryAfter: 1, cause })
}

function isTemporary(state: string): boolean {
  if (state === '08P01') return false // A protocol violation is caused by the request, for example by text that contains NUL.
  return state === '' || temporaryStates.some((prefix) => state.startsWith(prefix))
}

/**
 * Returns the SQLSTATE of an error, '' for a connection failure, or undefined for an error from
 * elsewhere.
 */
function sqlState(error: unknown): string | undefined {
  if (error instanceof pg.DatabaseError) return error.code ?? ''
  if (!isDriverException(error)) return undefined
  // Node has codes that could be a SQLSTATE, such as EPIPE. Only PostgreSQL reports a severity.
  return 'severity' in error && typeof error.code === 'string' ? error.code : ''
}

/** Recognized by its fields: importing the class would load the whole ORM, which the CLI avoids. */
function isDriverException(error: unknown): error is DriverException {
  return error instanceof Error && 'sqlMessage' in error && 'errmsg' in error
}
