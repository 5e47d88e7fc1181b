import type { LoadFacts } from './facts.ts'
import type { UncertainFacts } from './judge.ts'
import type { LoadUncertain } from './load-uncertain.ts'
import type { Check } from './question.ts'

/** Checks that statements of their own load, the other checks, and how to join their results. */
export type SplitChecks<Any extends Check> = {
  own: Any[]
  others: Any[]
  /** Puts the results of both in the order of the checks. */
  merge<Result>(ofOwn: Result[], ofOthers: Result[]): Result[]
}

/** Splits checks by whether a special kind of subject needs statements of its own. */
export function splitChecks<Any extends Check>(
  checks: Any[],
  isOwn: (check: Check) => boolean,
): SplitChecks<Any> {
  return {
    own: checks.filter(isOwn),
    others: checks.filter((check) => !isOwn(check)),
    merge<Result>(ofOwn: Result[], ofOthers: Result[]) {
      const [own, others] = [ofOwn.values(), ofOthers.values()]
      return checks.map((check) => (isOwn(check) ? own : others).next().value as Result)
    },
  }
}

/** Loads the facts of a special kind of subject with statements of its own. */
export function withOwnFacts(
  loadFacts: LoadFacts,
  isOwn: (check: Check) => boolean,
  loadOwnBits: (checks: Check[], scope: Parameters<LoadFacts>[1]) => Promise<number[]>,
): LoadFacts {
  const loadSplit: LoadFacts = async (query, scope) => {
    const { own, others, merge } = splitChecks(query.checks, isOwn)
    const [facts, bits] = await Promise.all([
      loadFacts({ ...query, checks: others }, scope),
      loadOwnBits(own, scope),
    ])
    return { status: facts.status, bits: merge(bits, facts.bits) }
  }
  return (query, scope) => (query.checks.some(isOwn) ? loadSplit : loadFacts)(query, scope)
}

/** Loads the uncertain facts of a special kind of subject with statements of its own. */
export function withOwnUncertain(
  loadUncertain: LoadUncertain,
  isOwn: (check: Check) => boolean,
  loadOwn: (checks: Check[], scope: Parameters<LoadUncertain>[1]) => Promise<UncertainFacts[]>,
): LoadUncertain {
  return async (query, scope) => {
    if (!query.checks.some(isOwn)) return loadUncertain(query, scope)
    const { own, others, merge } = splitChecks(query.checks, isOwn)
    const [facts, checks] = await Promise.all([
      loadUncertain({ ...query, checks: others }, scope),
      loadOwn(own, scope),
    ])
    return { status: facts.status, checks: merge(checks, facts.checks) }
  }
}
