import { createBatcher } from '../database/batching.ts'
import type { StatementPool } from '../database/statement-pool.ts'
import type { FactsQuery, LoadFacts } from './facts.ts'
import { createFactsBatch, type FactsRow } from './facts-batch.ts'
import { factsSql } from './facts-query.ts'

/**
 * Creates a function that loads facts from PostgreSQL, with a statement that concurrent callers share.
 * `onBatch` is called with the number of callers of each statement.
 */
export function createLoadFacts(
  statements: StatementPool,
  onBatch?: (callers: number) => void,
): LoadFacts {
  return createBatcher(async (queries) => {
    onBatch?.(queries.length)
    const { lookup, parameters, read } = createFactsBatch(queries)
    const name = `facts ${lookup}`
    const [row] = await statements.rows<FactsRow>(name, factsSql[lookup], parameters)
    return read(row as FactsRow)
  }, countRows)
}

/** A query without checks still adds the status of its caller. */
function countRows({ checks }: FactsQuery): number {
  return Math.max(checks.length, 1)
}
