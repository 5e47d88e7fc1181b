import type { EntityManager } from '@mikro-orm/postgresql'

/** A statement in the form in which it is sent to PostgreSQL. */
export type Statement = { text: string; values: unknown[] }

/**
 * Returns the statements that `work` sends with `query`, in order, without running them. Each
 * statement returns no rows; counting entities returns one.
 */
export async function recordStatements(
  work: (em: EntityManager) => Promise<unknown>,
): Promise<Statement[]> {
  const statements: Statement[] = []
  const em = {
    getKysely: () => ({
      async executeQuery({ sql, parameters }: { sql: string; parameters: unknown[] }) {
        statements.push({ text: sql, values: parameters })
        return { rows: [] }
      },
    }),
    count: async () => 1,
  }
  await work(em as unknown as EntityManager)
  return statements
}
