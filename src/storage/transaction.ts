import type { EntityManager } from '@mikro-orm/postgresql'
import { isDeadlock } from './storage-fault.ts'

/** How often a transaction that PostgreSQL chose as a deadlock's victim is tried. */
const tries = 3

/** Runs `work` in one transaction; nothing of the network may happen inside. */
export async function inTransaction<Result>(
  em: EntityManager,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  for (let left = tries; ; left -= 1) {
    try {
      return await em.transactional(work)
    } catch (error) {
      if (left === 1 || !isDeadlock(error)) throw error
    }
  }
}
