import type { EntityManager } from '@mikro-orm/postgresql'
import { isDeadlock, statementError } from './database-errors.ts'

const maxAttempts = 3

/** Milliseconds during which a transaction may be retried. */
const maxRetryDelay = 3000

/**
 * Runs `work` in a transaction, with an entity manager of that transaction. `work` runs again if
 * PostgreSQL aborts it because of a deadlock, so it must have no other effects, such as network
 * calls.
 *
 * @example
 * await inTransaction(em, async (em) => {
 *   await query(em, 'update users set name = $1 where id = $2', [name, id])
 * })
 *
 * @throws what `work` throws, or a ServiceError `unavailable` if BEGIN or COMMIT fails
 */
export async function inTransaction<Result>(
  em: EntityManager,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  let failures: unknown[] = []
  try {
    // Another attempt after a savepoint would still hold the locks that others wait for.
    const retry = em.isInTransaction() ? once : retryDeadlocks
    return await retry(async () => {
      failures = []
      try {
        return await em.transactional(async (em) => {
          const result = await work(em).catch((error) => {
            failures.push(error)
            throw error
          })
          // Otherwise, MikroORM compares the entities of the call with what was read, at the end of each
          // transaction. Nothing is written by changing an entity.
          em.clear()
          return result
        })
      } catch (error) {
        // A failed ROLLBACK must not hide the error that caused it.
        throw failures.length > 0 ? failures[0] : error
      }
    })
  } catch (error) {
    // MikroORM does not convert errors of BEGIN and COMMIT.
    throw failures.length > 0 ? error : statementError(error)
  }
}

function once<Result>(work: () => Promise<Result>): Promise<Result> {
  return work()
}

/** Runs `work`, and retries it if PostgreSQL aborted it to resolve a deadlock. */
export async function retryDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  const startedAt = performance.now()
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await work()
    } catch (error) {
      const isLate = performance.now() - startedAt > maxRetryDelay
      if (attempt === maxAttempts || isLate || !isDeadlock(error)) throw error
    }
  }
}
