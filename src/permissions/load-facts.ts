import { createBatcher } from '../database/batching.ts'
import type { Statements } from '../database/statement-pool.ts'
import { grant } from './access.ts'
import type { Facts, FactsQuery, LoadFacts, PermissionCheck } from './facts.ts'
import { createFactsBatch, type FactsRow } from './facts-batch.ts'
import { factsSql } from './facts-query.ts'
import type { Ancestry } from './grants-query.ts'

/**
 * Creates a function that loads facts from PostgreSQL, with a statement that concurrent callers share.
 * `onBatch` is called with the number of callers of each statement.
 *
 * The statement for flat resources only reports that a resource inherits. Such a query then runs again
 * with the statement that reads the ancestors, which is slower. Kinds of which a resource inherited
 * before go there directly. Which statement comes first affects the time, never the result.
 */
export function createLoadFacts(
  statements: Statements,
  onBatch?: (callers: number) => void,
): LoadFacts {
  const loadFlat = createLoader('flagged')
  const loadWithAncestors = createLoader('walked')
  /** Resource types by service; no more than there are kinds of registered resources. */
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

/** A query without checks still adds the status of its caller. */
function countRows({ checks }: FactsQuery): number {
  return Math.max(checks.length, 1)
}

/** Calls of one workspace take turns with those of others; a call without a user counts for its key. */
function callerOf({ workspaceId, keyHash, userId }: FactsQuery): string {
  return workspaceId ?? keyHash ?? userId ?? ''
}
