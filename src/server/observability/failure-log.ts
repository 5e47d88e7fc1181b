import { ServiceError } from '../../core/errors.ts'
import type { Logger } from '../../core/logger.ts'
import { databaseError } from '../../database/database-errors.ts'

/** Milliseconds between lines about the same failure. */
const interval = 60_000

/**
 * Creates the log of background jobs. `logFailure(text)` returns the function that logs the errors
 * of one job, at most once a minute. While the database is unavailable, all jobs together log one
 * line a minute.
 */
export function createFailureLog(
  log: Pick<Logger, 'error'>,
  now: () => number = () => performance.now(),
): (text: string) => (error: unknown) => void {
  const loggedAt = new Map<string, number>()

  return (text) => (thrown) => {
    const error = databaseError(thrown)
    const isUnavailable = error instanceof ServiceError && error.code === 'unavailable'
    const key = isUnavailable ? error.reason : text
    if (now() - (loggedAt.get(key) ?? Number.NEGATIVE_INFINITY) < interval) return
    loggedAt.set(key, now())
    if (isUnavailable) log.error({ reason: error.reason }, `${text}: ${error.message}`)
    else log.error({ err: error }, text)
  }
}
