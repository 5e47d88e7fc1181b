import type { RequestScope } from '../../../core/request-scope.ts'
import { grant } from '../../access.ts'
import { type CallWork, createCallWork } from '../../conditions/work.ts'
import type { CheckedStatus, FactsQuery, LoadFacts } from '../facts.ts'
import type { SubjectCheck } from '../question.ts'
import { compileConditions, maxAttempts, type StoredCondition } from './compiled-conditions.ts'
import { digestsOf, judge, type UncertainFacts } from './judge.ts'
import type { LoadUncertain } from './load-uncertain.ts'

/** Facts without uncertain bits. */
export type JudgedFacts = CheckedStatus & {
  /** The facts of each check as bits (`bits.ts`), in order. */
  bits: number[]
  /** The index of the first check whose conditions exceeded the work of the call. */
  exceededAt?: number | undefined
  /** What the bits would be if every condition were true, where they depend on conditions. */
  bitsIfTrue?: Map<number, number>
}

/** Loads the current facts and judges the conditions that they depend on, with the work of a call. */
export type LoadJudgedFacts = (
  query: FactsQuery,
  scope?: RequestScope,
  work?: CallWork,
) => Promise<JudgedFacts>

/** Loads the judged facts of checks of named subjects. */
export type LoadJudged = (
  checks: SubjectCheck[],
  work?: CallWork,
) => Promise<Pick<JudgedFacts, 'bits' | 'exceededAt' | 'bitsIfTrue'>>

/**
 * Returns how many checks of a page count, from the first one on: those before the work of the call
 * was used up. If the call had not done any work before, the first one counts in any case, so that
 * pages advance.
 */
export function countJudged(
  length: number,
  { exceededAt }: Pick<JudgedFacts, 'exceededAt'>,
  wasUnused: boolean,
): number {
  if (exceededAt === undefined) return length
  return wasUnused ? Math.max(exceededAt, 1) : exceededAt
}

export type JudgedFactsOptions = {
  loadFacts: LoadFacts
  loadUncertain: LoadUncertain
  loadConditions: (digests: string[]) => Promise<StoredCondition[]>
}

/**
 * Adds conditions to `loadFacts`. Checks that depend on conditions are read again by a statement that
 * returns the conditions, so that all facts of a check come from one snapshot. Later checks of these
 * kinds are read by this statement alone.
 */
export function createJudgedFacts({
  loadFacts,
  loadUncertain,
  loadConditions,
}: JudgedFactsOptions): LoadJudgedFacts {
  /** Types whose checks depended on conditions, by service. Bounded by the registered kinds. */
  const uncertainTypes = new Map<string, Set<string>>()

  return async (query, scope, work = createCallWork()) => {
    const { checks } = query
    const dependedOnConditions =
      uncertainTypes.size > 0 &&
      checks.length > 0 &&
      checks.every(
        (check) =>
          isJudged(check) && uncertainTypes.get(check.serviceName)?.has(check.resourceType),
      )
    if (dependedOnConditions) return judgeChecks(query, [...checks.keys()], [], scope, work)
    const { facts: bits, ...status } = await loadFacts(query, scope)
    if (!bits.some(isUncertain)) return { ...status, bits }
    const indexes = [...checks.keys()].filter(
      (index) =>
        isUncertain(bits[index] as number) &&
        isJudged(checks[index] as FactsQuery['checks'][number]),
    )
    if (indexes.length === 0) return { ...status, bits }
    rememberTypes(checks, indexes)
    return judgeChecks(query, indexes, bits, scope, work)
  }

  async function judgeChecks(
    query: FactsQuery,
    indexes: number[],
    unconditional: number[],
    scope: RequestScope | undefined,
    work: CallWork,
  ): Promise<JudgedFacts> {
    const checks = indexes.map((index) => query.checks[index] as FactsQuery['checks'][number])
    for (let attempt = 1; ; attempt += 1) {
      const { status, facts: loaded } = await loadUncertain({ ...query, checks }, scope)
      const digests = new Set(loaded.flatMap(digestsOf))
      const compiled = await compileConditions(digests, loadConditions)
      if (compiled.size < digests.size && attempt < maxAttempts) continue
      const bits = [...unconditional]
      const bitsIfTrue = new Map<number, number>()
      let exceededAt: number | undefined
      for (const [position, index] of indexes.entries()) {
        const facts = loaded[position] as UncertainFacts
        const check = checks[position] as FactsQuery['checks'][number]
        const judged = await judge(check, facts, compiled, work)
        bits[index] = judged.bits
        bitsIfTrue.set(index, judged.bitsIfTrue)
        if (isExhausted(work) && digestsOf(facts).length > 0) exceededAt ??= index
      }
      return { status, bits, exceededAt, bitsIfTrue }
    }
  }

  function rememberTypes(checks: FactsQuery['checks'], indexes: number[]): void {
    for (const index of indexes) {
      const { serviceName, resourceType } = checks[index] as FactsQuery['checks'][number]
      const types = uncertainTypes.get(serviceName) ?? new Set()
      uncertainTypes.set(serviceName, types.add(resourceType))
    }
  }
}

/** Whether the conditions of a check are judged. Nothing is required of a workspace itself. */
function isJudged({ workspace }: FactsQuery['checks'][number]): boolean {
  return workspace === undefined
}

/** Returns whether facts depend on conditions that have not been judged. */
export function isUncertain(bits: number): boolean {
  return (bits & (grant.conditional | grant.barred)) !== 0
}

function isExhausted({ steps, operations }: CallWork): boolean {
  return steps === 0 || operations === 0
}
