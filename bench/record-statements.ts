import type { EntityManager } from '@mikro-orm/postgresql'
import type { Transactional } from '../src/core/request-context.ts'
import { createStores, type Stores } from '../src/server/stores.ts'

/** A statement in the form in which it is sent to PostgreSQL. */
export type Statement = { text: string; values: unknown[] }

/**
 * Returns the statements that `work` sends with `query`, in order, without running them. Each
 * statement returns no rows; counting entities returns one.
 */
export async function recordStatements(
  work: (stores: Transactional<Stores>) => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = []
  const em = {
    getKysely: () => ({
      async executeQuery({ sql, parameters }: { sql: string; parameters: unknown[] }) {
        statements.push({ text: sql, values: parameters })
        return { rows: [] }
      },
    }),
    isInTransaction: () => true,
    count: async () => 1,
  } as unknown as EntityManager
  await work(createStores(em))
  return statements
}
