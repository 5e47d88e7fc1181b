import type { DelegationAgent } from '../../../gen/daikon/v1/delegations.ts'
import type { Role } from '../../core/roles.ts'
import { isoTime } from '../../database/sql-values.ts'
import {
  actionFact,
  coversWorkspace,
  delegationFact,
  grant,
  isAllowed,
  memberFact,
} from '../access.ts'
import { roleOf, statusBit } from '../engine/bits.ts'
import type { UnmetRequirement } from '../engine/conditions/judge.ts'
import { decide } from '../engine/facts.ts'
import { grantsAction, memberRule } from '../engine/grants/grant-kinds.ts'
import type { Explanation, Grant } from '../engine/load-reasons.ts'
import type { Limit } from '../engine/subjects/subject-kind.ts'
import { type SubjectKindName, subjectKinds } from '../engine/subjects/subject-kinds.ts'

/** Why an action is not allowed. */
export type Denial = (typeof denials)[number]

export const denials = [
  'user_unknown',
  'link_unknown',
  'wrong_audience',
  'user_inactive',
  'resource_unknown',
  'not_a_member',
  'action_unknown',
  'requirement_not_met',
  'context_missing',
  'condition_failed',
  'guest',
  'no_grant',
  'delegation_ended',
  'delegation_expired',
  'delegation_does_not_cover',
] as const

/** The facts about the action and the subject, which no grant contains. */
const askedFacts = actionFact.registered | actionFact.granted | memberFact.guest

export function isDenial(rule: Reason['rule']): rule is Denial {
  return (denials as readonly string[]).includes(rule)
}

/**
 * A grant that allows the action, or the reason why it is not allowed. Members that do not apply
 * are absent.
 */
export type Reason = Omit<Grant, 'rule' | 'bits' | 'judged'> & {
  rule: Grant['rule'] | 'delegation' | Denial
  /** The paths that a condition needs and the request lacks, sorted. */
  missing?: readonly string[]
  /** The resource whose requirement is not met. */
  resourceType?: string
  resourceId?: string
  /** The delegation by which an agent asks. */
  delegationId?: string
  agent?: DelegationAgent
  /** What the delegation does not cover. */
  uncovered?: Limit
}

/**
 * The denials of kinds of subjects, where they are not those of users. A link is no user and no member
 * of a workspace.
 */
const denialsOfKinds: Record<SubjectKindName, Partial<Record<Denial, Denial>>> = {
  user: {},
  group: {},
  link: { user_unknown: 'link_unknown', not_a_member: 'no_grant' },
  delegation: {},
}

/**
 * Explains a decision: returns the grants that allow the action, or the reason for the denial. Those of
 * a delegation are the reasons of its user, unless only the delegation denies the action, and its own.
 */
export function findReasons(action: string, explanation: Explanation): Reason[] {
  const { limits } = explanation
  if (!limits) return findReasonsOfUser(action, explanation)
  const ofUser = findReasonsOfUser(action, withoutLimits(explanation))
  const exceeded = findExceeded(explanation)
  if (exceeded.length > 0) return isDenied(ofUser) ? [...ofUser, ...exceeded] : exceeded
  if (isDenied(ofUser)) return ofUser
  const expiresAt = isoTime(limits.expiresAt)
  return [
    ...ofUser,
    { rule: 'delegation', delegationId: limits.id, agent: limits.agent, expiresAt },
  ]
}

/** Whether a reason is a grant, and no denial or delegation. */
export function isGrant(rule: Reason['rule']): rule is Grant['rule'] {
  return !isDenial(rule) && rule !== 'delegation'
}

function isDenied([first]: Reason[]): boolean {
  return first !== undefined && isDenial(first.rule)
}

/** Returns the explanation of the user for whom a subject stands. */
function withoutLimits(explanation: Explanation): Explanation {
  return { ...explanation, bits: explanation.bits & ~grant.uncovered, limits: undefined }
}

/** Returns why the delegation does not allow what its user may do: nothing if it does. */
function findExceeded({ bits, limits, isOfWorkspace }: Explanation): Reason[] {
  if (!limits || !(bits & grant.uncovered)) return []
  const { id: delegationId, agent, exceeded } = limits
  const named = { delegationId, agent }
  const rule = findDelegationDenial(bits)
  if (rule === 'delegation_expired')
    return [{ rule, ...named, expiresAt: isoTime(limits.expiresAt) }]
  if (rule !== 'delegation_does_not_cover') return [{ rule, ...named }]
  // Whether it covers a resource that does not exist is no reason.
  const isKnown = isOfWorkspace || (bits & (grant.registered | grant.public)) !== 0
  return exceeded
    .filter((limit) => limit !== 'resource' || isKnown)
    .map((uncovered) => ({ rule, ...named, uncovered }))
}

function findReasonsOfUser(action: string, explanation: Explanation): Reason[] {
  const denial = findDenial(action, explanation)
  if (denial === 'requirement_not_met') return explanation.unmet.flatMap(describeUnmet)
  if (denial === 'guest')
    return [
      ...findHiddenVisibilities(action, explanation),
      ...findFailedConditions(action, explanation),
    ]
  if (denial === 'no_grant') {
    const { bits, unmetToView = [] } = explanation
    // A requirement of `view` withholds the custom role that would allow the action.
    const bitsOfRole = (bits | actionFact.granted) & ~grant.barred
    if (unmetToView.length > 0 && decide(action, bitsOfRole))
      return unmetToView.flatMap(describeUnmet)
    const failed = findFailedConditions(action, explanation)
    return failed.length > 0 ? failed : [{ rule: denial }]
  }
  if (denial) return [{ rule: denial }]
  const { bits: facts, grantList } = explanation
  // Outside its workspace, the resource is public, and the role of the subject does not count.
  const role = facts & grant.registered ? roleOf(facts) : undefined
  const reasons: Reason[] = []
  if (role && coversWorkspace(role)) reasons.push({ rule: memberRule, role })
  const actionFacts = facts & askedFacts
  for (const { bits, judged: _, ...reason } of grantList) {
    if (isAllowed(roleWithoutCover(role), action, bits | actionFacts)) reasons.push(reason)
  }
  // A custom role allows its actions on every resource that the user may view. A role of a share can
  // allow an action without `view`.
  if (facts & actionFact.granted && isAllowed(role, 'view', facts))
    for (const { bits, judged: _, ...reason } of grantList)
      if (grantsAction(reason.rule)) reasons.push(reason)
  return reasons
}

/**
 * Returns the reasons for which an action that is not allowed would be if every condition were true,
 * and the names of the conditions that are not, sorted. Returns undefined if it would not be either.
 */
export function findPossibleReasons(
  action: string,
  explanation: Explanation,
): { reasons: Reason[]; conditions: string[] } | undefined {
  const { bitsIfTrue = 0, unmet, unmetToView = [] } = explanation
  if (!decide(action, bitsIfTrue)) return undefined
  const grantList = explanation.grantList.map((one) => ({
    ...one,
    bits: one.judged?.bits ?? one.bits,
  }))
  const reasons = findReasons(action, { ...explanation, bits: bitsIfTrue, grantList, unmet: [] })
  const ofShares = explanation.grantList.flatMap(({ judged, shareId }) =>
    judged && !judged.result && reasons.some((reason) => reason.shareId === shareId) ? judged : [],
  )
  const isOfRole = reasons.some(({ rule }) => isGrant(rule) && grantsAction(rule))
  const ofRole = isOfRole ? unmetToView : []
  const names = [...unmet, ...ofRole, ...ofShares].map(({ condition }) => condition)
  return { reasons, conditions: [...new Set(names)].toSorted() }
}

/** Describes a requirement that is not met: the requirement, and what the condition lacked. */
function describeUnmet({ missing, error, ...requirement }: UnmetRequirement): Reason[] {
  const { condition, resourceType, resourceId } = requirement
  const named = { condition, resourceType, resourceId }
  const reasons: Reason[] = [{ rule: 'requirement_not_met', ...named }]
  if (missing.length > 0) reasons.push({ rule: 'context_missing', ...named, missing })
  else if (error !== undefined) reasons.push({ rule: 'condition_failed', ...named })
  return reasons
}

/** Returns a reason for each visibility that would allow the action if the subject were no guest. */
function findHiddenVisibilities(action: string, { bits, grantList }: Explanation): Reason[] {
  const asMember = bits & askedFacts & ~memberFact.guest
  return grantList.flatMap(({ bits: granted, inheritedFrom }): Reason[] =>
    isAllowed(roleOf(bits), action, granted | asMember)
      ? [{ rule: 'guest', ...(inheritedFrom && { inheritedFrom }) }]
      : [],
  )
}

/** Describes the shares that would allow the action, but whose conditions could not be evaluated. */
function findFailedConditions(action: string, { bits, grantList }: Explanation): Reason[] {
  const actionFacts = bits & askedFacts
  return grantList.flatMap(({ judged, bits: _, ...grant }): Reason[] => {
    if (!judged || judged.result || judged.error === undefined) return []
    if (!isAllowed(roleOf(bits), action, judged.bits | actionFacts)) return []
    const { condition, shareId, linkId } = grant
    const named = {
      ...(condition && { condition }),
      ...(shareId && { shareId }),
      ...(linkId && { linkId }),
    }
    return judged.missing.length > 0
      ? [{ rule: 'context_missing', ...named, missing: judged.missing }]
      : [{ rule: 'condition_failed', ...named }]
  })
}

/**
 * Admins and owners need no grant. Treats them as editors, to list the grants that would suffice
 * without their role.
 */
function roleWithoutCover(role: Role | undefined): Role | undefined {
  return role && coversWorkspace(role) ? 'editor' : role
}

/** Returns why the action is not allowed, or undefined if it is. */
export function findDenial(
  action: string,
  { bits, kind, isOfWorkspace = false }: Pick<Explanation, 'bits' | 'kind' | 'isOfWorkspace'>,
): Denial | undefined {
  const denial = findDenialOfUser(action, bits & ~grant.uncovered)
  if (denial === undefined)
    return bits & grant.uncovered && !decide(action, bits) ? findDelegationDenial(bits) : undefined
  // A kind without a role is asked about as no one.
  if (isOfWorkspace && !subjectKinds[kind].hasRole && denial === 'user_unknown') return 'no_grant'
  return denialsOfKinds[kind][denial] ?? denial
}

/** Returns why a delegation does not cover a check. */
function findDelegationDenial(bits: number) {
  if (bits & delegationFact.ended) return 'delegation_ended'
  return bits & delegationFact.expired ? 'delegation_expired' : 'delegation_does_not_cover'
}

function findDenialOfUser(action: string, bits: number): Denial | undefined {
  if (decide(action, bits)) return undefined
  if (bits & grant.barred && decide(action, bits & ~grant.barred)) return 'requirement_not_met'
  if (!(bits & statusBit.known) || bits & statusBit.denied) return 'user_unknown'
  if (!(bits & statusBit.active)) return 'user_inactive'
  if (!(bits & grant.registered)) return 'resource_unknown'
  if (!roleOf(bits)) return 'not_a_member'
  if (decide(action, bits & ~memberFact.guest)) return 'guest'
  // A workspace owner may perform every built-in or registered action.
  return isAllowed('owner', action, bits & ~grant.barred) ? 'no_grant' : 'action_unknown'
}
