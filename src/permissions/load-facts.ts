import { createBatcher } from '../database/batching.ts'
import type { Statements } from '../database/statement-pool.ts'
import { grant } from './access.ts'
import type { Facts, FactsQuery, LoadFacts, PermissionCheck } from './facts.ts'
import { createFactsBatch, type FactsRow } from './facts-batch.ts'
import { factsSql } from './facts-query.ts'
import type { Ancestry } from './grants-query.ts'

/**
 * Creates a function that loads facts from PostgreSQL. Concurrent callers share statements;
 * `onBatch` is called with the number of queries in each statement.
 *
 * The fast statement does not read ancestors: it only reports whether a resource inherits. If one
 * does, the query runs again with a slower statement that reads the ancestors. Queries about kinds
 * that are known to have inheriting resources use the slower statement directly. This affects only
 * the speed, never the result.
 */
export function createLoadFacts(
  statements: Statements,
  onBatch?: (callers: number) => void,
): LoadFacts {
  const loadFlat = createLoader('flagged')
  const loadWithAncestors = createLoader('walked')
  /** Types with inheriting resources, by service. Bounded by the number of registered kinds. */
  const inheritingTypes = new Map<string, Set<string>>()

  return async (query, scope) => {
    if (query.checks.some(isOfInheritingKind)) return loadWithAncestors(query, scope)
    const facts = await loadFlat(query, scope)
    if (!facts.grants.some(isInherited)) return facts
    rememberInheritingTypes(query, facts)
    return loadWithAncestors(query, scope)
  }

  function createLoader(ancestry: Ancestry): LoadFacts {
    return createBatcher(
      async (queries) => {
        onBatch?.(queries.length)
        const { lookup, parameters, read } = createFactsBatch(queries)
        const name = `facts ${ancestry} ${lookup}`
        const sql = factsSql[ancestry][lookup]
        const [row] = await statements.rows<FactsRow>(name, sql, parameters)
        return read(row as FactsRow)
      },
      { countRows, callerOf },
    )
  }

  function isOfInheritingKind({ service_name, resource_type }: PermissionCheck): boolean {
    return inheritingTypes.get(service_name)?.has(resource_type) === true
  }

  function rememberInheritingTypes({ checks }: FactsQuery, { grants }: Facts): void {
    for (const [index, { service_name, resource_type }] of checks.entries()) {
      if (!isInherited(grants[index] as number)) continue
      const types = inheritingTypes.get(service_name) ?? new Set()
      inheritingTypes.set(service_name, types.add(resource_type))
    }
  }
}

function isInherited(grants: number): boolean {
  return (grants & grant.inherited) !== 0
}

/** Counts a query without checks as one row, for the status of its caller. */
function countRows({ checks }: FactsQuery): number {
  return Math.max(checks.length, 1)
}

/** Counts queries against their workspace or, without a user, against their service key. */
function callerOf({ workspaceId, keyHash, userId }: FactsQuery): string {
  return workspaceId ?? keyHash ?? userId ?? ''
}
