import { statusBit } from './bits.ts'
import type { LoadFacts } from './facts.ts'
import type { LoadReasons, SubjectCheck } from './load-reasons.ts'
import type { LoadUncertain } from './load-uncertain.ts'
import type { Check } from './question.ts'
import { splitChecks, withOwnFacts, withOwnUncertain } from './split-checks.ts'

/** Adds checks of groups, which statements of their own load, to `loadFacts`. */
export function withGroupFacts(loadFacts: LoadFacts, loadGroupFacts: LoadFacts): LoadFacts {
  return withOwnFacts(loadFacts, isOfGroup, async (checks, scope) => {
    const { bits } = await loadGroupFacts({ checks: checks.map(asUser) }, scope)
    return bits.map(requireGroup)
  })
}

/** Adds checks of groups to `loadUncertain`. */
export function withGroupUncertain(
  loadUncertain: LoadUncertain,
  loadGroupUncertain: LoadUncertain,
): LoadUncertain {
  return withOwnUncertain(loadUncertain, isOfGroup, async (checks, scope) => {
    const loaded = await loadGroupUncertain({ checks: checks.map(asUser) }, scope)
    return loaded.checks.map((check) => ({ ...check, bits: requireGroup(check.bits) }))
  })
}

/** Adds checks of groups to `loadReasons`. */
export function withGroupReasons(
  loadReasons: LoadReasons,
  loadGroupReasons: LoadReasons,
): LoadReasons {
  return async (checks) => {
    if (!checks.some(isOfGroup)) return loadReasons(checks)
    const { own, others, merge } = splitChecks(checks, isOfGroup)
    const [ofUsers, ofGroups] = await Promise.all([
      loadReasons(others),
      loadGroupReasons(own.map(asUser)),
    ])
    const groups = ofGroups.map((group) => ({ ...group, bits: requireGroup(group.bits) }))
    return merge(groups, ofUsers)
  }
}

export function isOfGroup({ subject }: Check): boolean {
  return subject?.groupId !== undefined
}

/** A group that does not exist may not even view what is public, unlike an unknown user. */
export function requireGroup(bits: number): number {
  return bits & ~statusBit.anonymous
}

/** Names the group where the statements expect a user (`groupTables`). */
function asUser(check: Check): SubjectCheck {
  return { ...check, subject: { userId: check.subject?.groupId } }
}
