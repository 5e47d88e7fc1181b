import type { EntityManager } from '@mikro-orm/postgresql'
import { isDeadlock, statementFault } from './storage-fault.ts'

/** How often a transaction that PostgreSQL chose as a deadlock's victim is tried. */
const tries = 3

/** Runs `work` in one transaction; nothing of the network may happen inside. */
export async function inTransaction<Result>(
  em: EntityManager,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  for (let left = tries; ; left -= 1) {
    const failures: unknown[] = []
    try {
      return await em.transactional((em) =>
        work(em).catch((error) => {
          failures.push(error)
          throw error
        }),
      )
    } catch (error) {
      // What `work` has not thrown comes from BEGIN or COMMIT, bare of MikroORM's exceptions.
      const failure = failures.length > 0 ? failures[0] : statementFault(error)
      if (left === 1 || !isDeadlock(failures[0] ?? error)) throw failure
    }
  }
}
