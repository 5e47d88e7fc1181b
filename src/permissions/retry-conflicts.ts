import { lockTimedOut, violates } from '../database/database-errors.ts'

const maxAttempts = 3

/** What a call has read was changed concurrently. */
export class ConcurrentChange extends Error {}

/**
 * Does work again if it throws a ConcurrentChange, or violates a foreign key because a row was deleted
 * concurrently.
 *
 * @throws ServiceError LOCK_TIMED_OUT after three attempts
 */
export async function retryConflicts<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof ConcurrentChange) && !violates(error, 'foreign')) throw error
      if (attempt === maxAttempts) throw lockTimedOut()
    }
  }
}
