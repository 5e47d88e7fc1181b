import type { AccessResource, AccessSubject } from '../../../gen/daikon/v1/access.ts'
import { builtInActions, isAllowed } from '../access.ts'
import { roleOf, statusBit } from '../engine/bits.ts'
import type { UnmetRequirement } from '../engine/conditions/judge.ts'
import type { Explanation, Grant, DecisionNames as Names } from '../engine/load-reasons.ts'
import { type SubjectKindName, subjectKinds } from '../engine/subjects/subject-kinds.ts'
import { describeLimits, isOfDelegation } from './delegation-sentence.ts'
import {
  type Decision,
  describeHidden,
  describePurpose,
  describeResource,
  describeRole,
  grantSentences,
  groupName,
  type NamedDecision,
  nameTitle,
} from './grant-sentences.ts'
import { type Denial, isDenial, isGrant, type Reason } from './reasons.ts'
import { findSubjectType, otherAudience } from './subject-table.ts'

/**
 * Describes a decision, and the facts that decided, in one sentence for administrators. It contains
 * names of users, groups, workspaces and resources. A resource without a display name is named by its
 * external ID or, without one, by its ID.
 *
 * @example
 * 'Carol may not edit document "Roadmap": Carol is a viewer of Demo; the document is private; no share
 * names Carol or either of the 2 groups that Carol is in.'
 */
export function describeDecision(decision: Decision): string {
  const { action, reasons, subject } = decision
  const { names } = decision.explanation
  const user = names.user ?? nameSubject(subject)
  const id = names.resource ?? decision.resource.id
  const resource = { ...decision.resource, id }
  const named = { ...decision, resource, user, names }
  const [first] = reasons
  const denial = first && isDenial(first.rule) ? first.rule : undefined
  const asked = `${action} ${resource.resourceType} ${nameTitle(names.displayName, id)}`
  const limits = describeLimits(named)
  if (denial && isOfDelegation(denial)) return `${user} may ${asked}, but ${limits}.`
  const causes = denial
    ? describeDenial(denial, named)
    : reasons.flatMap((reason) =>
        isGrant(reason.rule) ? grantSentences[reason.rule].allows(reason, named) : [],
      )
  if (limits !== undefined) causes.push(limits)
  return `${user} ${denial ? 'may not' : 'may'} ${asked}: ${causes.join('; ')}.`
}

/** Describes why a request is denied that names no user or, in development mode, no service. */
export function describeInvalidRequest(
  subject: Pick<AccessSubject, 'type' | 'id'>,
  action: string,
  { type, id }: Pick<AccessResource, 'type' | 'id'>,
  cause: string | undefined,
): string {
  const who = nameSubject(subject)
  return `${who} may not ${action} ${type} ${id}: ${describeProblem(subject.type, type, cause)}.`
}

function describeProblem(
  subjectType: string,
  resourceType: string,
  cause: string | undefined,
): string {
  if (!findSubjectType(subjectType)) return `${subjectType} is not a type of subject`
  return cause ?? `the type ${resourceType} does not begin with a service`
}

/** Names a subject without the name of a user. Never repeats an access token, API key or link: they are secrets. */
function nameSubject({ type, id }: Pick<AccessSubject, 'type' | 'id'>): string {
  return findSubjectType(type)?.title ?? id
}

function describeDenial(denial: Denial, decision: NamedDecision): string[] {
  const { user, subject, action, resource, explanation, names, reasons } = decision
  const { serviceName, resourceType, id } = resource
  const type = findSubjectType(subject.type)
  switch (denial) {
    case 'wrong_audience':
      return [otherAudience.cause]
    case 'link_unknown':
      return ['the link is not valid']
    case 'user_unknown':
      if (type?.revoked && explanation.bits & statusBit.denied) return [type.revoked]
      return [type?.describeUnknown(action, resourceType) ?? 'there is no such user']
    case 'user_inactive':
      return [`${user} has been deactivated`]
    case 'resource_unknown':
      if (explanation.isOfWorkspace)
        return [type?.limits?.workspace ?? 'there is no such workspace']
      return [
        `${serviceName} has not registered ${resourceType} ${id}${type?.limits?.resource ?? ''}`,
      ]
    case 'not_a_member':
      if (explanation.isOfWorkspace) return [`${user} is not a member of ${names.workspace}`]
      return [`${user} is not a member of ${names.workspace}, the workspace of the ${resourceType}`]
    case 'action_unknown':
      return [`${serviceName} has not registered the action ${action}`]
    case 'guest':
      return [...describeHidden(decision), ...describeShares(decision)]
    case 'requirement_not_met':
      return describeUnmet(action, reasons, explanation)
    default:
      return missingGrants[explanation.kind]({ user, action, resource, explanation, names })
  }
}

type MissingGrant = Omit<NamedDecision, 'subject' | 'reasons'>

/** Describe why no grant allows the action. */
const missingGrants: Record<SubjectKindName, (missing: MissingGrant) => string[]> = {
  user: describeMissingGrant,
  group: describeMissingGrant,
  link: (missing) => [describeMissingLink(missing)],
  delegation: describeMissingGrant,
}

function describeMissingLink({ action, resource, explanation }: MissingGrant): string {
  const link = explanation.grantList.find(({ rule }) => grantSentences[rule].isShare)
  if (!link) return `the link does not open the ${resource.resourceType}`
  if (link.condition !== undefined && link.judged?.result !== true)
    return `the link opens ${describeResource(link, resource)} ${describePurpose(link)}${describeUnmetCondition(link)}`
  return `the link opens ${describeResource(link, resource)} ${describePurpose(link)} only, which does not include ${action}`
}

/** `edit requires the condition paid of folder plans, which is not met: the request lacks context.paid`. */
function describeUnmet(
  action: string,
  reasons: Reason[],
  { unmet, unmetToView = [] }: Explanation,
): string[] {
  return reasons
    .filter(({ rule }) => rule === 'requirement_not_met')
    .map(({ condition, resourceType, resourceId }) => {
      const isSame = (other: Pick<Reason, 'condition' | 'resourceType' | 'resourceId'>) =>
        other.condition === condition &&
        other.resourceType === resourceType &&
        other.resourceId === resourceId
      // Otherwise, it is a requirement of `view`, which a custom role needs.
      const ofAction = unmet.find(isSame)
      const requirement = ofAction ?? unmetToView.find(isSame)
      const of = requirement?.isInherited ? ` of ${nameRequiring(requirement)}` : ''
      const cause = reasons.find(
        (reason) => isSame(reason) && reason.rule !== 'requirement_not_met',
      )
      const lacks = cause && `: ${describeFailure(cause.missing)}`
      return `${ofAction ? action : 'view'} requires the condition ${condition}${of}, which is not met${lacks ?? ''}`
    })
}

function nameRequiring({ resourceType, resourceId, externalId }: UnmetRequirement): string {
  return `${resourceType} ${externalId ?? resourceId}`
}

/** `the request lacks context.amount`, or `it could not be evaluated`. */
function describeFailure(missing: readonly string[] = []): string {
  return missing.length > 0
    ? `the request lacks ${missing.join(' and ')}`
    : 'it could not be evaluated'
}

function describeMissingGrant({
  user,
  action,
  resource,
  explanation,
  names,
}: MissingGrant): string[] {
  const { bits, grantList } = explanation
  const isGuest = bits & statusBit.guest && !subjectKinds[explanation.kind].isPlural
  const role = isGuest ? 'guest' : roleOf(bits)
  const causes = [describeRole(user, role, names.workspace)]
  if (explanation.isOfWorkspace) {
    const isBuiltIn = builtInActions.includes(action)
    const missing = isBuiltIn
      ? `only owners and admins may ${action} a workspace`
      : `${user} has no role that includes ${action}`
    return [...causes, missing]
  }
  const visible = grantList.find(({ rule }) => grantSentences[rule].visibility !== null)
  const shares = grantList.filter(({ rule }) => grantSentences[rule].isShare)
  if (action === 'manage') {
    const ownership = names.inherits
      ? `${user} owns neither the ${resource.resourceType} nor anything above it`
      : `${user} does not own the ${resource.resourceType}`
    const withRole = shares.filter(({ role }) => role !== undefined)
    const insufficient = withRole.map((share) =>
      describeInsufficientShare(share, { user, resource, names, action }),
    )
    return [...causes, ownership, ...insufficient, 'no share gives manage']
  }
  if (!builtInActions.includes(action)) {
    const mayView = isAllowed(roleOf(bits), 'view', bits)
    if (mayView)
      return [
        ...causes,
        `${user} may view the ${resource.resourceType}, but has no role that includes ${action}`,
      ]
  }
  causes.push(
    visible
      ? `${describeResource(visible, resource)} is ${grantSentences[visible.rule].visibility} for viewing`
      : `the ${resource.resourceType} is private`,
  )
  causes.push(...describeShares({ user, resource, names, action, explanation }))
  if (shares.length === 0) {
    const anyShare = names.inherits
      ? `no share of the ${resource.resourceType} or of anything above it`
      : 'no share'
    causes.push(`${anyShare} names ${describeGrantees(user, names)}`)
  }
  return causes
}

/** Describes the shares, none of which suffices. */
function describeShares({ explanation, ...named }: MissingGrant): string[] {
  return explanation.grantList
    .filter(({ rule }) => grantSentences[rule].isShare)
    .map((share) => describeInsufficientShare(share, named))
}

function describeInsufficientShare(
  share: Grant,
  { user, resource, names, action }: Pick<NamedDecision, 'user' | 'resource' | 'names' | 'action'>,
): string {
  const grantee = share.groupId ? `the group ${groupName(share.groupId, names)}` : user
  if (share.condition !== undefined && share.judged?.result !== true)
    return `${describeResource(share, resource)} is shared with ${grantee} ${describePurpose(share)}${describeUnmetCondition(share)}`
  if (share.role !== undefined)
    return `${describeResource(share, resource)} is shared with ${grantee} as ${share.role}, which does not include ${action}`
  return `${describeResource(share, resource)} is shared with ${grantee} for viewing only`
}

/** `, which is not met: the request lacks context.amount`. */
function describeUnmetCondition({ judged }: Grant): string {
  const cause = judged?.error === undefined ? '' : `: ${describeFailure(judged.missing)}`
  return `, which is not met${cause}`
}

/** `Carol`, or `Carol or any of the 3 groups that Carol is in`. */
function describeGrantees(user: string, { groupCount }: Names): string {
  if (groupCount === 0) return user
  if (groupCount === 1) return `${user} or the group that ${user} is in`
  const each = groupCount === 2 ? 'either' : 'any'
  return `${user} or ${each} of the ${groupCount} groups that ${user} is in`
}
