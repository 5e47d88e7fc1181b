import type { Statements } from './statement-pool.ts'

/**
 * Starts a history of transactions if there is none, after a crash or a promotion (migration 073). It then has
 * an identity (`facts_identity`), within which the IDs of transactions can be compared.
 */
export async function startFactsEpoch(statements: Statements): Promise<void> {
  await statements.rows('facts epoch', insertEpochSql, [])
}

const insertEpochSql = 'insert into facts_epoch default values on conflict do nothing'
