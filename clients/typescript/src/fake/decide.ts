import type { Context } from '../argument-types.ts'
import type { Role } from '../gen/core/roles.ts'
import {
  actionFact,
  builtInActions,
  coversWorkspace,
  grant,
  isAllowed,
  sufficientGrants,
} from '../gen/permissions/access.ts'
import type { Explanation, Reason } from '../results.ts'
import { createEvaluate, type Evaluate, type Verdict } from './conditions.ts'
import { findDeclaration } from './declarations.ts'
import { decideDelegated } from './delegations.ts'
import { type Found, findCustomRoles, findGrants } from './grants.ts'
import { type FakeResource, type FakeState, findRole } from './state.ts'
import { type FakeSubject, findRoleOf, hasGuest } from './subjects.ts'

/** Whether a subject may perform an action on a resource of a type. */
export type Question = {
  subject: FakeSubject
  action: string
  type: string
  resource: FakeResource | undefined
  context?: Context | undefined
}

/** Decides by the server's rules, which src/gen/permissions/access.ts contains a copy of. */
export function decide(state: FakeState, question: Question): Explanation {
  const decided = decideUser(state, question)
  const { delegation } = question.subject
  if (!delegation) return decided
  const workspaceId = question.resource?.workspaceId
  const asked = { ...question, workspaceId, isKnown: isKnown() }
  return decideDelegated(state, delegation, asked, decided)

  /** Whether the resource exists for the user: it is in the workspace of the delegation, or public. */
  function isKnown(): boolean {
    const { resource } = question
    if (!resource || resource.workspaceId === delegation?.workspaceId) return resource !== undefined
    return decidePublic(state, { ...question, action: 'view' }, 'resource_unknown').allowed
  }
}

function decideUser(state: FakeState, question: Question): Explanation {
  const { subject, action, resource } = question
  const standing = findStanding(state, subject, resource)
  if (!('role' in standing)) return decidePublic(state, question, standing.denial)
  const { role } = standing
  if (!resource) return deny('resource_unknown')
  const evaluate = createEvaluation(state, question, resource, role)
  const found = findGrants(state, { subject, action, resource, evaluate })
  const unmetOf = (required: string) => findUnmet(state, question, resource, role, required)
  const requirements = unmetOf(action)
  const isBuiltIn = builtInActions.includes(action)
  const withRoles = findCustomRoles(state, subject, action, resource.workspaceId)
  // A custom role gives the action on what the subject may view.
  const isViewBarred = !isBuiltIn && unmetOf('view').length > 0
  const customRoles = isViewBarred ? [] : withRoles
  const actionFacts =
    (state.actions.has(action) ? actionFact.registered : 0) |
    (customRoles.length > 0 ? actionFact.granted : 0)
  const facts = found.reduce((all, { bits }) => all | bits, grant.registered | actionFacts)
  if (isAllowed(role, action, facts)) {
    if (requirements.length > 0) return denyUnmet(requirements)
    return { allowed: true, reasons: listReasons(role, action, facts, found, customRoles) }
  }
  if (!isAllowed('owner', action, facts)) return deny('action_unknown')
  const reasons = found.flatMap(({ withheld }) =>
    withheld && isAllowed(role, action, withheld.bits | actionFacts) ? [withheld.reason] : [],
  )
  return reasons.length === 0 ? deny('no_grant') : { allowed: false, reasons }
}

/** Whether a subject is an active member of the workspace of a resource, or a group of it. */
export function isMember(state: FakeState, subject: FakeSubject, resource: FakeResource): boolean {
  return 'role' in findStanding(state, subject, resource)
}

/** Whether a user owns a resource or an ancestor that it inherits from, or administers its workspace. */
export function isOwner(state: FakeState, subject: FakeSubject, resource: FakeResource): boolean {
  const role = findRole(state, resource.workspaceId, subject.id)
  const question = { subject, action: 'manage', type: resource.type, resource }
  const evaluate = createEvaluation(state, question, resource, role)
  return (
    (role !== undefined && coversWorkspace(role)) ||
    findGrants(state, { subject, action: 'manage', resource, evaluate }).some(
      ({ bits }) => bits & grant.owner,
    )
  )
}

/** A requirement that is not met, and the resource that it was judged with. */
type Unmet = Verdict & { requiredBy: { type: string; resourceId: string } }

/**
 * Returns the requirements of an action that are not met: those of the type of the resource, and the
 * inherited ones of each ancestor that it inherits from, which are judged with that ancestor.
 */
function findUnmet(
  state: FakeState,
  question: Question,
  resource: FakeResource,
  role: Role | undefined,
  action: string,
): Unmet[] {
  const unmet: Unmet[] = []
  let current: FakeResource | undefined = resource
  while (current) {
    const { type, resourceId } = current
    const evaluate = createEvaluation(state, question, current, role)
    for (const requirement of findDeclaration(state, type).requirements) {
      const { condition: name, inherited } = requirement
      if (requirement.action !== action || (current !== resource && !inherited)) continue
      const verdict = evaluate({ name })
      if (!verdict.isTrue) unmet.push({ ...verdict, requiredBy: { type, resourceId } })
    }
    current = current.inherits ? current.parent : undefined
  }
  return unmet
}

/** Returns the role of a subject in the workspace of a resource, or why it has none. */
function findStanding(
  state: FakeState,
  subject: FakeSubject,
  resource: FakeResource | undefined,
): { role: Role } | { denial: Reason['rule'] } {
  if (!subject.isKnown) return { denial: subject.kind === 'link' ? 'link_unknown' : 'user_unknown' }
  if (!subject.isActive) return { denial: 'user_inactive' }
  const { workspaceId } = subject
  if (!resource || (workspaceId !== undefined && resource.workspaceId !== workspaceId))
    return { denial: 'resource_unknown' }
  const role = findRoleOf(state, subject, resource.workspaceId)
  if (role) return { role }
  return { denial: subject.kind === 'link' ? 'no_grant' : 'not_a_member' }
}

/** Decides for a subject without a role in the workspace, who may only view what is public. */
function decidePublic(state: FakeState, question: Question, denial: Reason['rule']): Explanation {
  const { subject, action, resource } = question
  if (!resource || action !== 'view' || !subject.mayViewPublic) return deny(denial)
  const evaluate = createEvaluation(state, question, resource, undefined)
  const found = findGrants(state, { subject: nobody, action, resource, evaluate })
  const reasons = found.filter(({ bits }) => bits & grant.public).map(({ reason }) => reason)
  if (reasons.length === 0) return deny(denial)
  const unmet = findUnmet(state, question, resource, undefined, action)
  return unmet.length > 0 ? denyUnmet(unmet) : { allowed: true, reasons }
}

const nobody: FakeSubject = {
  kind: 'anonymous',
  id: '',
  email: '',
  externalId: '',
  isKnown: false,
  isActive: true,
  mayViewPublic: true,
}

function createEvaluation(
  state: FakeState,
  { subject, action, context }: Question,
  resource: FakeResource,
  role: Role | undefined,
): Evaluate {
  const { kind, id, email, externalId, isKnown, delegation } = subject
  const { type, id: agentId } = delegation?.agent ?? { type: '' as const, id: '' }
  const createInput = (guest: boolean) => ({
    subject: {
      id: isKnown ? id : '',
      externalId,
      type: kind,
      email,
      role: kind === 'link' ? ('' as const) : (role ?? ''),
      guest,
    },
    resource: {
      id: resource.resourceId,
      externalId: resource.id === resource.resourceId ? '' : resource.id,
      type: resource.type,
      workspaceId: resource.workspaceId,
      ownerId: resource.ownerId,
      visibility: resource.visibility,
      attributes: resource.attributes,
    },
    agent: { type, id: agentId },
    action,
    now: new Date(),
  })
  const createInputs = () => {
    const isGuest = hasGuest(state, subject, resource.workspaceId)
    // Members of a group with a guest differ, so a condition that reads it has no result.
    return (kind === 'group' && isGuest ? [true, false] : [isGuest]).map(createInput)
  }
  return createEvaluate(state.conditions, createInputs, context)
}

function listReasons(
  role: Role,
  action: string,
  facts: number,
  found: Found[],
  customRoles: Reason[],
): Reason[] {
  const isCovered = coversWorkspace(role)
  const sufficient = sufficientGrants(isCovered ? 'editor' : role, action, facts)
  const reasons: Reason[] = isCovered ? [{ rule: 'workspace_role', role }] : []
  for (const { bits, reason } of found) if (bits & sufficient) reasons.push(reason)
  // The role of a share can allow an action without view, which a custom role needs.
  if (!builtInActions.includes(action) && isAllowed(role, 'view', facts))
    reasons.push(...customRoles)
  return reasons
}

function denyUnmet(unmet: Unmet[]): Explanation {
  const reasons = unmet.flatMap(({ condition, requiredBy, hasFailed }): Reason[] => [
    { rule: 'requirement_not_met', condition, requiredBy },
    ...(hasFailed ? [{ rule: 'condition_failed' as const, condition, requiredBy }] : []),
  ])
  return { allowed: false, reasons }
}

function deny(rule: Reason['rule']): Explanation {
  return { allowed: false, reasons: [{ rule }] }
}
