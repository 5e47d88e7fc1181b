import type { Limit, StoredLimits } from '../engine/subjects/subject-kind.ts'
import type { NamedDecision } from './grant-sentences.ts'
import type { Denial, Reason } from './reasons.ts'

const and = new Intl.ListFormat('en', { type: 'conjunction' })
const or = new Intl.ListFormat('en', { type: 'disjunction' })

const denials: readonly Denial[] = [
  'delegation_ended',
  'delegation_expired',
  'delegation_does_not_cover',
]

/** Whether a delegation denies an action, which its user may perform. */
export function isOfDelegation(denial: Denial): boolean {
  return denials.includes(denial)
}

/**
 * Describes what a delegation says about a decision. Undefined if no delegation does, or if it would
 * allow what its user may not do.
 *
 * @example
 * 'the delegation to report-bot covers view only'
 */
export function describeLimits(decision: NamedDecision): string | undefined {
  const { reasons, user, explanation } = decision
  const { limits } = explanation
  if (!limits) return undefined
  const { name } = limits.agent
  const parts = reasons.flatMap((reason) => describeLimit(reason, limits, decision) ?? [])
  if (parts.length > 0) return `the delegation to ${name} ${and.format(parts)}`
  const allowed = reasons.find(({ rule }) => rule === 'delegation')
  return allowed && `${name} acts for ${user} by a delegation until ${allowed.expiresAt}`
}

function describeLimit(
  { rule, uncovered, expiresAt }: Reason,
  limits: StoredLimits,
  decision: NamedDecision,
): string | undefined {
  if (rule === 'delegation_ended') return 'has ended'
  if (rule === 'delegation_expired') return `expired at ${expiresAt}`
  return uncovered && uncoveredLimits[uncovered](limits, decision)
}

/** Say what a delegation covers instead of what is asked. */
const uncoveredLimits: Record<Limit, (limits: StoredLimits, decision: NamedDecision) => string> = {
  action: ({ actions }, { action }) =>
    actions ? `covers ${and.format(actions)} only` : `does not cover ${action}`,
  type({ serviceName, resourceTypes }, { resource }) {
    if (serviceName !== resource.serviceName) return `covers ${serviceName} only`
    return resourceTypes
      ? `covers resources of the type ${or.format(resourceTypes)} only`
      : `does not cover the type ${resource.resourceType}`
  },
  resource: (_, { resource: { resourceType } }) => `does not cover the ${resourceType}`,
}
