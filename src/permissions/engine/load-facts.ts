import { createBatcher } from '../../database/batching.ts'
import { arrayLiteral } from '../../database/sql-values.ts'
import type { Statements } from '../../database/statement-pool.ts'
import { grant } from '../access.ts'
import { type Facts, type FactsQuery, type LoadFacts, readStatus } from './facts.ts'
import type { GroupLookup } from './grants/grant-kind.ts'
import { createCheckTable, createKeyTable } from './parameters.ts'
import type { Check, Subject } from './question.ts'
import type { Ancestry } from './statements/checks.ts'
import { type FactsRow, factsSql, groupFactsSql, linkFactsSql } from './statements/facts.ts'

/**
 * The minimum average number of checks per subject at which reading all groups of the subjects is
 * faster.
 */
export const minChecksToHash = 16

/**
 * Loads facts from PostgreSQL. Concurrent callers share statements; `onBatch` is called with the
 * number of queries in each statement.
 *
 * The fast statement does not read ancestors: it only reports whether a resource inherits. If one
 * does, the query runs again with a slower statement that reads the ancestors. Later queries about
 * the same kind use the slower statement directly. This affects only the speed, never the result.
 * `of` says whether the users of the queries are groups (`groupTables`) or links (`linkTables`).
 */
export function createLoadFacts(
  statements: Statements,
  onBatch?: (callers: number) => void,
  { of = 'users' }: { of?: 'users' | 'groups' | 'links' } = {},
): LoadFacts {
  const statementsOf = { users: factsSql, groups: groupFactsSql, links: linkFactsSql }[of]
  const loadFlat = createLoader('flagged')
  const loadWithAncestors = createLoader('walked')
  /** Types with inheriting resources, by service. Bounded by the number of registered kinds. */
  const inheritingTypes = new Map<string, Set<string>>()

  return async (query, scope) => {
    if (query.checks.some(isOfInheritingKind)) return loadWithAncestors(query, scope)
    const facts = await loadFlat(query, scope)
    if (!facts.bits.some(isInherited)) return facts
    rememberInheritingTypes(query, facts)
    return loadWithAncestors(query, scope)
  }

  function createLoader(ancestry: Ancestry): LoadFacts {
    return createBatcher(
      async (queries) => {
        onBatch?.(queries.length)
        const { lookup, parameters, read } = createBatch(queries)
        const name = `${of === 'users' ? 'facts' : `facts of ${of}`} ${ancestry} ${lookup}`
        const sql = statementsOf[ancestry][lookup]
        const [row] = await statements.rows<FactsRow>(name, sql, parameters)
        return read(row as FactsRow)
      },
      { countRows, callerOf },
    )
  }

  function isOfInheritingKind({ service_name, resource_type }: Check): boolean {
    return inheritingTypes.get(service_name)?.has(resource_type) === true
  }

  function rememberInheritingTypes({ checks }: FactsQuery, { bits }: Facts): void {
    for (const [index, { service_name, resource_type }] of checks.entries()) {
      if (!isInherited(bits[index] as number)) continue
      const types = inheritingTypes.get(service_name) ?? new Set()
      inheritingTypes.set(service_name, types.add(resource_type))
    }
  }
}

/** The parameters of one facts statement for several queries, and how to read its row. */
type FactsBatch = {
  lookup: GroupLookup
  parameters: string[]
  /** Returns the facts of each query, in order. */
  read(row: FactsRow): Facts[]
}

function createBatch(queries: FactsQuery[]): FactsBatch {
  const table = createCheckTable()
  const keys = createKeyTable()
  const callers = queries.map((query) => {
    const { keyHash, checks } = query
    const subject = table.addSubject(query)
    for (const check of checks)
      table.addCheck(check, check.subject ? table.addSubject(check.subject) : subject)
    return { key: keyHash ? keys.add(keyHash) : 0, subject, checkCount: checks.length }
  })
  return {
    lookup: table.size() < minChecksToHash * table.subjectCount() ? 'probed' : 'hashed',
    parameters: [...table.parameters(), arrayLiteral(keys.hashes)],
    read([keysRequired, keyStatuses, statuses, bits, ids]) {
      const statusBits = readNumbers(statuses)
      const userIds = readUserIds(table.subjects, ids)
      const checkBits = bits === null ? [] : readNumbers(bits)
      let offset = 0
      return callers.map(({ key, subject, checkCount }) => {
        const status = readStatus(
          statusBits[subject - 1] as number,
          keysRequired,
          keyStatuses?.[key - 1],
        )
        offset += checkCount
        return { status, bits: checkBits.slice(offset - checkCount, offset), userIds }
      })
    },
  }
}

/** Reads an array literal such as `{1,2}`. */
export function readNumbers(literal: string): number[] {
  return literal.slice(1, -1).split(',').map(Number)
}

/** Reads the users of subjects that name them by something else than their ID. */
export function readUserIds(
  subjects: readonly Subject[],
  literal: string | null,
): Map<Subject, string> | undefined {
  if (literal === null) return undefined
  const ids = literal.slice(1, -1).split(',')
  const userIds = new Map<Subject, string>()
  for (const [index, subject] of subjects.entries()) {
    const id = ids[index] as string
    if (subject.userId === undefined && id !== 'NULL') userIds.set(subject, id)
  }
  return userIds
}

function isInherited(bits: number): boolean {
  return (bits & grant.inherited) !== 0
}

/** Counts a query without checks as one row, for the status of its caller. */
export function countRows({ checks }: FactsQuery): number {
  return Math.max(checks.length, 1)
}

/** Counts queries against their workspace or, without a user, against their service key. */
export function callerOf({ workspaceId, keyHash, userId }: FactsQuery): string {
  return workspaceId ?? keyHash ?? userId ?? ''
}
