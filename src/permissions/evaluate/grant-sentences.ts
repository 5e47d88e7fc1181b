import type { AccessSubject } from '../../../gen/daikon/v1/access.ts'
import { roleOf } from '../engine/bits.ts'
import type { GrantRule } from '../engine/grants/grant-rule.ts'
import type { Explanation, Grant, DecisionNames as Names } from '../engine/load-reasons.ts'
import type { Kind } from '../engine/question.ts'
import { subjectKinds } from '../engine/subjects/subject-kinds.ts'
import type { Reason } from './reasons.ts'

/** A decision, with the names that the request uses. */
export type Decision = {
  subject: Pick<AccessSubject, 'type' | 'id'>
  action: string
  /** `id` is used if the resource has no `external_id`. */
  resource: Kind & { id: string }
  reasons: Reason[]
  explanation: Explanation
}

/** A decision, with the names that the sentence uses. */
export type NamedDecision = Decision & { user: string; names: Names }

/** What sentences say of grants by a rule. */
type GrantSentence = {
  /** Says that the grant allows the action. */
  allows(reason: Reason, decision: NamedDecision): string
  /** What a denial calls the resource, `private` without such a grant; null unless it is a visibility. */
  visibility: string | null
  /** Whether a denial describes why the grant does not suffice, as a share. */
  isShare: boolean
}

export const grantSentences: Record<GrantRule, GrantSentence> = {
  owner: {
    allows: (reason, { user, resource }) => `${user} owns ${describeResource(reason, resource)}`,
    visibility: null,
    isShare: false,
  },
  workspace_role: {
    allows: ({ role }, { user, names }) => describeRole(user, role, names.workspace),
    visibility: null,
    isShare: false,
  },
  workspace_visibility: {
    allows(reason, decision) {
      const { user, resource, names } = decision
      const visible = `${describeResource(reason, resource)} is visible to all of ${names.workspace}`
      return isEditing(decision) ? `${visible}, where ${user} is an editor` : visible
    },
    visibility: 'visible to the workspace',
    isShare: false,
  },
  public: {
    allows(reason, decision) {
      const { user, resource, names } = decision
      const visible = `${describeResource(reason, resource)} is public`
      return isEditing(decision)
        ? `${visible}, and ${user} is an editor of ${names.workspace}`
        : visible
    },
    visibility: 'public',
    isShare: false,
  },
  link: {
    allows: (reason, { resource }) =>
      `the link opens ${describeResource(reason, resource)} ${describeTerms(reason)}`,
    visibility: null,
    isShare: true,
  },
  share: {
    allows: (reason, { user, resource }) =>
      `${describeResource(reason, resource)} is shared with ${user} ${describeTerms(reason)}`,
    visibility: null,
    isShare: true,
  },
  group_share: {
    allows(reason, decision) {
      const { user, resource, names } = decision
      const group = `the group ${groupName(reason.groupId, names)}`
      return `${describeResource(reason, resource)} is shared with ${group} ${describeTerms(reason)}${describeMembership(reason, user, decision)}`
    },
    visibility: null,
    isShare: true,
  },
  custom_role: {
    allows(reason, decision) {
      const { user, names, action } = decision
      const role = `${user} has the role ${reason.role}, which includes ${action}`
      if (!reason.groupId) return role
      const group = groupName(reason.groupId, names)
      return `${role}, through the group ${group}${describeMembership(reason, user, decision)}`
    },
    visibility: null,
    isShare: false,
  },
}

/** Says of each visibility that it is nothing to the subject, a guest or a group with one. */
export function describeHidden({ user, names, resource, reasons, explanation }: NamedDecision) {
  const who = subjectKinds[explanation.kind].isPlural
    ? `${user} has a guest of ${names.workspace} among its members`
    : describeRole(user, 'guest', names.workspace)
  return reasons
    .filter(({ rule }) => rule === 'guest')
    .map((reason) => `${who}, and ${describeResource(reason, resource)} is visible to members only`)
}

/** Whether a visibility allows the action only because the subject is an editor. */
function isEditing({ action, explanation }: NamedDecision): boolean {
  return action === 'edit' && roleOf(explanation.bits) === 'editor'
}

/** The purpose of a share, and when it expires. */
function describeTerms(reason: Reason): string {
  const until = reason.expiresAt ? ` until ${reason.expiresAt}` : ''
  return `${describePurpose(reason)}${until}`
}

/** `for editing`, or `as triage` for a share with a role, and its condition. */
export function describePurpose({
  permission,
  role,
  condition,
}: Pick<Grant, 'permission' | 'role' | 'condition'>): string {
  const under = condition === undefined ? '' : ` under the condition ${condition}`
  if (role !== undefined) return `as ${role}${under}`
  return `${permission === 'edit' ? 'for editing' : 'for viewing'}${under}`
}

/** `, and Carol is in it through Interns`; nothing for a group that has the grant itself. */
function describeMembership({ groupId, via = [] }: Reason, user: string, decision: NamedDecision) {
  const { subject, names, explanation } = decision
  const isOfGroup = explanation.kind === 'group'
  if (isOfGroup && subject.id === groupId) return ''
  // The path of a group ends with the group itself.
  const path = (isOfGroup ? via.slice(0, -1) : via).map((id) => groupName(id, names))
  const through = path.length === 0 ? '' : ` through ${path.join(' and ')}`
  return `, and ${user} is in it${through}`
}

export function describeRole(user: string, role = 'member', workspace = 'the workspace'): string {
  return `${user} is ${/^[aeo]/.test(role) ? 'an' : 'a'} ${role} of ${workspace}`
}

export function nameTitle(displayName: string | undefined, id: string): string {
  return displayName === undefined ? id : `"${displayName}"`
}

/** `the document`, or `the folder "Plans" above it` for an inherited grant. */
export function describeResource(
  { inheritedFrom }: Pick<Grant, 'inheritedFrom'>,
  { resourceType }: Decision['resource'],
): string {
  if (!inheritedFrom) return `the ${resourceType}`
  const { resourceType: type, resourceId, externalId, displayName } = inheritedFrom
  return `the ${type} ${nameTitle(displayName, externalId ?? resourceId)} above it`
}

export function groupName(id: string | undefined, { groups }: Names): string {
  return groups.get(id ?? '') ?? id ?? ''
}
