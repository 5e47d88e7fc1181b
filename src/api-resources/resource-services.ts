import { createBatcher } from '../database/batching.ts'
import type { StatementPool } from '../database/statement-pool.ts'
import type { ResourceServices } from '../identity/ports.ts'
import { resourceServicesSql } from './store/api-resource-store.ts'

/**
 * Returns what finds the services of APIs. It is asked once for each token, and concurrent questions share
 * a statement.
 */
export function createResourceServices(statements: StatementPool): ResourceServices {
  const find = createBatcher(async (uris: string[]) => {
    const rows = await statements.rows<[string | null]>('resource-services', resourceServicesSql, [
      uris,
    ])
    return rows.map(([service]) => service ?? undefined)
  })
  return { find }
}
