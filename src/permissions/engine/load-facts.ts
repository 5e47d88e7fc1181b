import { createBatcher } from '../../database/batching.ts'
import type { Statements } from '../../database/statement-pool.ts'
import { grant } from '../access.ts'
import type { Ancestry } from './chain.ts'
import { callerOf, checkBurst, countRows, createChecksBatch, readNumbers } from './checks-batch.ts'
import type { FactsQuery, Loaded, LoadFacts } from './facts.ts'
import type { Check } from './question.ts'
import { type FactsRow, factsSql } from './statements/facts.ts'
import { type SubjectKindName, statementName, subjectKinds } from './subjects/subject-kinds.ts'

/**
 * Loads facts from PostgreSQL. Concurrent callers share statements; `onBatch` is called with the
 * number of queries in each statement.
 *
 * The fast statement does not read ancestors: it only reports whether a resource inherits. If one
 * does, the query runs again with a slower statement that reads the ancestors. Later queries about
 * the same kind use the slower statement directly. This affects only the speed, never the result.
 * The subjects of all checks are of one kind.
 */
export function createLoadFacts(
  statements: Statements,
  onBatch?: (callers: number) => void,
  kind: SubjectKindName = 'user',
): LoadFacts {
  const counted = ~subjectKinds[kind].ignoredBits
  const loadFlat = createLoader('ownGrants')
  const loadWithAncestors = createLoader('withAncestors')
  /** Types with inheriting resources, by service. Bounded by the number of registered kinds. */
  const inheritingTypes = new Map<string, Set<string>>()

  return async (query, scope) => {
    if (query.checks.some(isOfInheritingKind)) return loadWithAncestors(query, scope)
    const loaded = await loadFlat(query, scope)
    if (!loaded.facts.some(isInherited)) return loaded
    rememberInheritingTypes(query, loaded)
    return loadWithAncestors(query, scope)
  }

  function createLoader(ancestry: Ancestry): LoadFacts {
    return createBatcher(
      async (queries) => {
        onBatch?.(queries.length)
        const { lookup, parameters, split } = createChecksBatch(queries, kind)
        const name = `${statementName('facts', kind)} ${ancestry} ${lookup}`
        const sql = factsSql[ancestry][lookup][kind]
        const [row] = await statements.rows<FactsRow>(name, sql, parameters)
        const [keysRequired, keys, statuses, bits, userIds] = row as FactsRow
        const facts = bits === null ? [] : readNumbers(bits).map((fact) => fact & counted)
        return split({ keysRequired, keys, statuses, userIds }, facts)
      },
      // Services that present only their key are identified before a large message is decoded.
      { countRows, callerOf, burst: checkBurst, isTiny: ({ checks }) => checks.length === 0 },
    )
  }

  function isOfInheritingKind({ serviceName, resourceType }: Check): boolean {
    return inheritingTypes.get(serviceName)?.has(resourceType) === true
  }

  function rememberInheritingTypes({ checks }: FactsQuery, { facts }: Loaded<number>): void {
    for (const [index, { serviceName, resourceType }] of checks.entries()) {
      if (!isInherited(facts[index] as number)) continue
      const types = inheritingTypes.get(serviceName) ?? new Set()
      inheritingTypes.set(serviceName, types.add(resourceType))
    }
  }
}

function isInherited(bits: number): boolean {
  return (bits & grant.inherited) !== 0
}
