import type { EntityManager } from '@mikro-orm/postgresql'

/** A statement as PostgreSQL would take it from us. */
export type Statement = { text: string; values: unknown[] }

/** The statements that a use case sends, in their order; none is run, and whatever it counts is there. */
export async function statementsOf(
  work: (em: EntityManager) => Promise<unknown>,
): Promise<Statement[]> {
  const sent: Statement[] = []
  const em = {
    async execute(sql: string, values: unknown[] = []) {
      let at = 0
      sent.push({ text: sql.replace(/\?/g, () => `$${++at}`), values })
      return []
    },
    count: async () => 1,
  }
  await work(em as unknown as EntityManager)
  return sent
}
