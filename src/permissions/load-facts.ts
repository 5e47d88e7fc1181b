import { createBatcher } from '../database/batching.ts'
import type { StatementPool } from '../database/statement-pool.ts'
import type { FactsQuery, LoadFacts } from './facts.ts'
import { createFactsBatch, type FactsRow } from './facts-batch.ts'
import { factsSql } from './facts-sql.ts'

/**
 * Loads facts from PostgreSQL by a statement that concurrent callers share. `onBatch` is called with
 * the number of callers.
 */
export function createLoadFacts(
  statements: StatementPool,
  onBatch?: (callers: number) => void,
): LoadFacts {
  return createBatcher(async (queries) => {
    onBatch?.(queries.length)
    const { membership, parameters, read } = createFactsBatch(queries)
    const name = `facts ${membership}`
    const [row] = await statements.rows<FactsRow>(name, factsSql[membership], parameters)
    return read(row as FactsRow)
  }, countRows)
}

/** What a query adds to the work of a statement; one without checks still costs a row. */
function countRows({ checks }: FactsQuery): number {
  return Math.max(checks.length, 1)
}
