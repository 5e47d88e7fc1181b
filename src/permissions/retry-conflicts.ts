import type { ServiceError } from '../core/errors.ts'
import { lockTimedOut, violates } from '../database/database-errors.ts'

const maxAttempts = 3

/**
 * Does work again if it throws `conflict`, or violates a foreign key: what it has read was changed or
 * deleted concurrently. Throws `conflict` after three attempts.
 */
export async function retryConflicts<Result>(
  work: (conflict: ServiceError) => Promise<Result>,
): Promise<Result> {
  for (let attempt = 1; ; attempt += 1) {
    const conflict = lockTimedOut()
    try {
      return await work(conflict)
    } catch (error) {
      if (error !== conflict && !violates(error, 'foreign')) throw error
      if (attempt === maxAttempts) throw conflict
    }
  }
}
