import { builtInActions } from '../permissions/access.ts'
import { type Denial, denials, type Reason } from '../permissions/evaluate/explain.ts'
import type { Explanation, Grant } from '../permissions/evaluate/load-explanations.ts'

/** Names of the objects that an explanation refers to. */
export type Names = {
  /** Undefined if the user does not exist. */
  user: string | undefined
  /** Undefined if the resource does not exist. */
  workspace: string | undefined
  /** Whether the resource inherits from a parent. */
  inherits: boolean
  /** The number of groups in the workspace that contain the user. */
  groupCount: number
  /** Group names by ID. */
  groups: Map<string, string>
}

type Decision = {
  /** The user as named on the command line. */
  user: string
  action: string
  resource: { service_name: string; resource_type: string; id: string }
  reasons: Reason[]
  explanation: Explanation
  names: Names
}

/**
 * Describes a decision in one sentence.
 *
 * @example
 * 'Carol may not edit document roadmap: Carol is a viewer of Demo; the document is private; no share
 * names Carol or either of the 2 groups that Carol is in.'
 */
export function describeDecision(decision: Decision): string {
  const { action, resource, reasons, names } = decision
  const user = names.user ?? decision.user
  const [first] = reasons
  const denial = first && isDenial(first.rule) ? first.rule : undefined
  const causes = denial
    ? describeDenial(denial, { ...decision, user })
    : reasons.map((reason) => describeReason(reason, { ...decision, user }))
  const verb = denial ? 'may not' : 'may'
  return `${user} ${verb} ${action} ${resource.resource_type} ${resource.id}: ${causes.join('; ')}.`
}

function isDenial(rule: Reason['rule']): rule is Denial {
  return (denials as readonly string[]).includes(rule)
}

function describeReason(
  reason: Reason,
  { user, resource, names, action, explanation }: Decision,
): string {
  const what = describeResource(reason, resource)
  const until = reason.expires_at ? ` until ${reason.expires_at}` : ''
  const purpose = `for ${reason.permission === 'edit' ? 'editing' : 'viewing'}${until}`
  switch (reason.rule) {
    case 'owner':
      return `${user} owns ${what}`
    case 'workspace_role':
      return describeRole(user, reason.role, names.workspace)
    case 'workspace_visibility': {
      const visible = `${what} is visible to all of ${names.workspace}`
      if (action !== 'edit' || explanation.role !== 'editor') return visible
      return `${visible}, where ${user} is an editor`
    }
    case 'share':
      return `${what} is shared with ${user} ${purpose}`
    case 'group_share':
      return `${what} is shared with the group ${groupName(reason.group_id, names)} ${purpose}, and ${describeMembership(reason, user, names)}`
    default:
      return `${user} has the role ${reason.role}, which includes ${action}`
  }
}

function describeMembership({ via = [] }: Reason, user: string, names: Names): string {
  const path = via.map((id) => groupName(id, names))
  return path.length === 0 ? `${user} is in it` : `${user} is in it through ${path.join(' and ')}`
}

function describeDenial(
  denial: Denial,
  { user, action, resource, explanation, names }: Decision,
): string[] {
  const { service_name, resource_type, id } = resource
  switch (denial) {
    case 'user_unknown':
      return ['there is no such user']
    case 'user_inactive':
      return [`${user} has been deactivated`]
    case 'resource_unknown':
      return [`${service_name} has not registered ${resource_type} ${id}`]
    case 'not_a_member':
      return [
        `${user} is not a member of ${names.workspace}, the workspace of the ${resource_type}`,
      ]
    case 'action_unknown':
      return [`${service_name} has not registered the action ${action}`]
    default:
      return describeMissingGrant({ user, action, resource, explanation, names })
  }
}

function describeMissingGrant({
  user,
  action,
  resource,
  explanation,
  names,
}: Omit<Decision, 'reasons'>): string[] {
  const { role, grantList } = explanation
  const causes = [describeRole(user, role, names.workspace)]
  const visible = grantList.find(({ rule }) => rule === 'workspace_visibility')
  const shares = grantList.filter(({ rule }) => rule === 'share' || rule === 'group_share')
  if (action === 'manage') {
    const ownership = names.inherits
      ? `${user} owns neither the ${resource.resource_type} nor anything above it`
      : `${user} does not own the ${resource.resource_type}`
    return [...causes, ownership, 'shares and visibility do not give manage']
  }
  if (!builtInActions.includes(action) && (visible || shares.length > 0))
    return [
      ...causes,
      `${user} may view the ${resource.resource_type}, but has no role that includes ${action}`,
    ]
  causes.push(
    visible
      ? `${describeResource(visible, resource)} is visible to the workspace for viewing`
      : `the ${resource.resource_type} is private`,
  )
  for (const share of shares)
    causes.push(describeInsufficientShare(share, { user, resource, names }))
  if (shares.length === 0) {
    const anyShare = names.inherits
      ? `no share of the ${resource.resource_type} or of anything above it`
      : 'no share'
    causes.push(`${anyShare} names ${describeGrantees(user, names)}`)
  }
  return causes
}

function describeInsufficientShare(
  share: Grant,
  { user, resource, names }: Pick<Decision, 'user' | 'resource' | 'names'>,
): string {
  const grantee = share.group_id ? `the group ${groupName(share.group_id, names)}` : user
  return `${describeResource(share, resource)} is shared with ${grantee} for viewing only`
}

/** `Carol`, or `Carol or any of the 3 groups that Carol is in`. */
function describeGrantees(user: string, { groupCount }: Names): string {
  if (groupCount === 0) return user
  if (groupCount === 1) return `${user} or the group that ${user} is in`
  const each = groupCount === 2 ? 'either' : 'any'
  return `${user} or ${each} of the ${groupCount} groups that ${user} is in`
}

function describeRole(user: string, role = 'member', workspace = 'the workspace'): string {
  return `${user} is ${/^[aeo]/.test(role) ? 'an' : 'a'} ${role} of ${workspace}`
}

/** `the document`, or `the folder plans above it` for an inherited grant. */
function describeResource(
  { inherited_from }: Pick<Grant, 'inherited_from'>,
  { resource_type }: Decision['resource'],
): string {
  if (!inherited_from) return `the ${resource_type}`
  const { resource_type: type, resource_id, external_id } = inherited_from
  return `the ${type} ${external_id ?? resource_id} above it`
}

function groupName(id: string | undefined, { groups }: Names): string {
  return groups.get(id ?? '') ?? id ?? ''
}
