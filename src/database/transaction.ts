import type { EntityManager } from '@mikro-orm/postgresql'
import { statementError } from './database-errors.ts'
import { retryDeadlocks } from './deadlock.ts'

/** Runs `work` in one transaction; nothing of the network may happen inside. */
export async function inTransaction<Result>(
  em: EntityManager,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  let failures: unknown[] = []
  try {
    return await retryDeadlocks(async () => {
      failures = []
      try {
        return await em.transactional((em) =>
          work(em).catch((error) => {
            failures.push(error)
            throw error
          }),
        )
      } catch (error) {
        throw failures.length > 0 ? failures[0] : error
      }
    })
  } catch (error) {
    // What `work` has not thrown comes from BEGIN or COMMIT, bare of MikroORM's exceptions.
    throw failures.length > 0 ? error : statementError(error)
  }
}
