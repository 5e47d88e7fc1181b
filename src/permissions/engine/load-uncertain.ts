import type { RequestScope } from '../../core/request-scope.ts'
import { createBatcher } from '../../database/batching.ts'
import { arrayLiteral, textArray } from '../../database/sql-values.ts'
import type { Statements } from '../../database/statement-pool.ts'
import type { StoredCondition } from './compiled-conditions.ts'
import { type CheckedStatus, type FactsQuery, readStatus } from './facts.ts'
import type { UncertainFacts } from './judge.ts'
import { callerOf, countRows, minChecksToHash, readNumbers, readUserIds } from './load-facts.ts'
import { createCheckTable, createKeyTable } from './parameters.ts'
import {
  conditionsSql,
  groupUncertainSql,
  linkUncertainSql,
  type UncertainRow,
  uncertainSql,
} from './statements/uncertain.ts'

/** The status of the caller, and the facts of each check with its conditions, in order. */
export type UncertainResult = CheckedStatus & { checks: UncertainFacts[] }

/** Loads the current facts of checks with the conditions that they depend on. */
export type LoadUncertain = (query: FactsQuery, scope?: RequestScope) => Promise<UncertainResult>

/**
 * The maximum number of checks in one statement, because each check can have hundreds of shares with
 * parameters of a few kilobytes.
 */
const maxChecks = 100

/**
 * Loads uncertain facts from PostgreSQL. Concurrent callers share statements. `of` says whether the
 * users of the queries are groups (`groupTables`) or links (`linkTables`).
 */
export function createLoadUncertain(
  statements: Statements,
  { of = 'users' }: { of?: 'users' | 'groups' | 'links' } = {},
): LoadUncertain {
  const sqlOf = { users: uncertainSql, groups: groupUncertainSql, links: linkUncertainSql }[of]
  const load = createBatcher(
    async (queries: FactsQuery[]) => {
      const { lookup, parameters, read } = createBatch(queries)
      const name = `uncertain facts${of === 'users' ? '' : ` of ${of}`} ${lookup}`
      const [row] = await statements.rows<UncertainRow>(name, sqlOf[lookup], parameters)
      return read(row as UncertainRow)
    },
    { countRows, callerOf, maxBatchRows: maxChecks },
  )
  return async (query, scope) => {
    const { checks } = query
    let result = await load({ ...query, checks: checks.slice(0, maxChecks) }, scope)
    for (let start = maxChecks; start < checks.length; start += maxChecks) {
      const part = { ...query, checks: checks.slice(start, start + maxChecks) }
      const next = await load(part, scope)
      result = { status: next.status, checks: [...result.checks, ...next.checks] }
    }
    return result
  }
}

function createBatch(queries: FactsQuery[]) {
  const table = createCheckTable()
  const keys = createKeyTable()
  const kinds: number[] = []
  const callers = queries.map((query) => {
    const { keyHash, checks } = query
    const subject = table.addSubject(query)
    for (const check of checks) {
      const position = check.subject ? table.addSubject(check.subject) : subject
      kinds.push(table.addCheck(check, position))
    }
    return { key: keyHash ? keys.add(keyHash) : 0, subject, checkCount: checks.length }
  })
  const lookup = table.size() < minChecksToHash * table.subjectCount() ? 'probed' : 'hashed'
  return {
    lookup: lookup as 'probed' | 'hashed',
    parameters: [...table.parameters(), arrayLiteral(keys.hashes)],
    read([keysRequired, keyStatuses, statuses, time, requirements, rows, ids]: UncertainRow) {
      const statusBits = readNumbers(statuses)
      const userIds = readUserIds(table.subjects, ids)
      const now = new Date(time)
      const checks = (rows ?? []).map(
        ([bits, candidates, variables], index): UncertainFacts => ({
          bits,
          candidates: candidates ?? [],
          requirements: requirements?.[(kinds[index] as number) - 1] ?? [],
          variables: variables ?? undefined,
          now,
        }),
      )
      let offset = 0
      return callers.map(({ key, subject, checkCount }): UncertainResult => {
        const bits = statusBits[subject - 1] as number
        offset += checkCount
        return {
          status: readStatus(bits, keysRequired, keyStatuses?.[key - 1]),
          checks: checks.slice(offset - checkCount, offset),
          userIds,
        }
      })
    },
  }
}

/** Returns the function that loads stored conditions by their digests. */
export function createLoadConditions(
  statements: Statements,
): (digests: string[]) => Promise<StoredCondition[]> {
  return async (digests) => {
    type Row = [digest: string, expression: string, parameters: string]
    const rows = await statements.rows<Row>('conditions', conditionsSql, [textArray(digests)])
    return rows.map(([digest, expression, parameters]) => ({ digest, expression, parameters }))
  }
}
