import { createBatcher } from '../../../database/batching.ts'
import { textArray } from '../../../database/sql-values.ts'
import type { Statements } from '../../../database/statement-pool.ts'
import { callerOf, checkBurst, countRows, createChecksBatch } from '../checks-batch.ts'
import type { FactsQuery, Load } from '../facts.ts'
import { joinRequirements } from '../statements/requirements.ts'
import { conditionsSql, type UncertainRow, uncertainSql } from '../statements/uncertain.ts'
import { type SubjectKindName, statementName, subjectKinds } from '../subjects/subject-kinds.ts'
import type { StoredCondition } from './compiled-conditions.ts'
import type { UncertainFacts } from './judge.ts'

/** Loads the current facts of checks with the conditions that they depend on. */
export type LoadUncertain = Load<UncertainFacts>

/**
 * The maximum number of checks in one statement, because each check can have hundreds of shares with
 * parameters of a few kilobytes.
 */
const maxChecks = 100

/**
 * Loads uncertain facts from PostgreSQL. Concurrent callers share statements. The subjects of all
 * checks are of one kind.
 */
export function createLoadUncertain(
  statements: Statements,
  kind: SubjectKindName = 'user',
): LoadUncertain {
  const load = createBatcher(
    async (queries: FactsQuery[]) => {
      const { lookup, parameters, kinds, split } = createChecksBatch(queries, kind)
      const name = `${statementName('uncertain facts', kind)} ${lookup}`
      const sql = uncertainSql[lookup][kind]
      const [row] = await statements.rows<UncertainRow>(name, sql, parameters)
      const [keysRequired, keys, statuses, time, requirements, requiring, checks, userIds] =
        row as UncertainRow
      const now = new Date(time)
      const facts = (checks ?? []).map(
        ([bits, candidates, variables, ancestors], index): UncertainFacts => ({
          ...withoutIgnored(kind, { bits, candidates: candidates ?? [] }),
          requirements: joinRequirements(
            requirements?.[(kinds[index] as number) - 1],
            ancestors,
            requiring,
          ),
          variables: variables ?? undefined,
          now,
        }),
      )
      return split({ keysRequired, keys, statuses, userIds }, facts)
    },
    { countRows, callerOf, maxBatchRows: maxChecks, burst: checkBurst },
  )
  return async (query, scope) => {
    const { checks } = query
    let result = await load({ ...query, checks: checks.slice(0, maxChecks) }, scope)
    for (let start = maxChecks; start < checks.length; start += maxChecks) {
      const part = { ...query, checks: checks.slice(start, start + maxChecks) }
      const next = await load(part, scope)
      result = { status: next.status, facts: [...result.facts, ...next.facts] }
    }
    return result
  }
}

/** Removes the bits that do not count for a kind of subject. */
export function withoutIgnored(
  kind: SubjectKindName,
  { bits, candidates }: Pick<UncertainFacts, 'bits' | 'candidates'>,
): Pick<UncertainFacts, 'bits' | 'candidates'> {
  const counted = ~subjectKinds[kind].ignoredBits
  return {
    bits: bits & counted,
    candidates: candidates.map((candidate) => ({ ...candidate, bits: candidate.bits & counted })),
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
