import { builtInActions, grant } from '../gen/permissions/access.ts'
import type { GrantRule } from '../gen/permissions/engine/grants/grant-rule.ts'
import type { Reason } from '../results.ts'
import type { Evaluate } from './conditions.ts'
import { findDeclaration } from './declarations.ts'
import type { FakeResource, FakeState } from './state.ts'
import { type FakeSubject, hasGuest } from './subjects.ts'
import type { Granted } from './terms.ts'

/**
 * A grant and the bits in access.ts that represent it: none if it does not count. `withheld` has those
 * that it would have, and the reason why it has not.
 */
export type Found = { bits: number; reason: Reason; withheld?: { bits: number; reason: Reason } }

/** What decides which grants a subject has on a resource itself. */
type Own = {
  subject: FakeSubject
  groupIds: Set<string>
  resource: FakeResource
  /** Whether the resource that is asked about may be public. */
  allowPublic: boolean
  /** Whether what the workspace sees is withheld from the subject. */
  isGuest: boolean
}

/** A grant: what it is, or the terms that say its bits. */
type OwnGrant = Found | { reason: Reason; granted: Granted }

/** Find the grants of a subject on a resource itself, by their rules. */
const ownGrants: Record<GrantRule, (own: Own) => OwnGrant[]> = {
  // It covers every resource of the workspace (`listReasons`).
  workspace_role: () => [],
  owner: ({ subject, resource }) =>
    resource.ownerId === subject.id ? [{ bits: grant.owner, reason: { rule: 'owner' } }] : [],
  public: (own) =>
    isPublic(own) ? [{ bits: grant.workspace | grant.public, reason: { rule: 'public' } }] : [],
  // The holder of a link is no member.
  workspace_visibility: (own) =>
    own.resource.visibility !== 'private' && !isPublic(own) && own.subject.kind !== 'link'
      ? [own.isGuest ? withheldFromGuests : visibleToMembers]
      : [],
  share: ({ subject, resource }) =>
    resource.shares.flatMap(({ id: shareId, userId, groupId: _, ...granted }) =>
      userId !== undefined && userId === subject.id
        ? [{ reason: { rule: 'share' as const, shareId }, granted }]
        : [],
    ),
  group_share: ({ groupIds, resource }) =>
    resource.shares.flatMap(({ id: shareId, userId: _, groupId, ...granted }) =>
      groupId && groupIds.has(groupId)
        ? [{ reason: { rule: 'group_share' as const, groupId, shareId }, granted }]
        : [],
    ),
  link: ({ subject, resource }) =>
    resource.links.flatMap(({ id: linkId, ...granted }) =>
      subject.kind === 'link' && linkId === subject.id
        ? [{ reason: { rule: 'link' as const, linkId }, granted }]
        : [],
    ),
  // It counts for an action, on whatever the subject may view (`findCustomRoles`).
  custom_role: () => [],
}

const visibleToMembers: Found = { bits: grant.workspace, reason: { rule: 'workspace_visibility' } }

const withheldFromGuests: Found = {
  bits: 0,
  reason: { rule: 'workspace_visibility' },
  withheld: { bits: grant.workspace, reason: { rule: 'guest' } },
}

/**
 * Inherited from a public resource by one that may not be public, the visibility means `workspace`.
 */
function isPublic({ resource, allowPublic }: Own): boolean {
  return resource.visibility === 'public' && allowPublic
}

/** Returns the grants of a subject on a resource and on the ancestors that it inherits from. */
export function findGrants(
  state: FakeState,
  {
    subject,
    action,
    resource,
    evaluate,
  }: { subject: FakeSubject; action: string; resource: FakeResource; evaluate: Evaluate },
): Found[] {
  const groupIds = findGroups(state, subject.id)
  const { allowPublic } = findDeclaration(state, resource.type)
  const isGuest = hasGuest(state, subject, resource.workspaceId)
  const found: Found[] = []
  const now = Date.now()
  let current: FakeResource | undefined = resource
  while (current) {
    const ancestor: FakeResource = current
    const inheritedFrom = { type: ancestor.type, resourceId: ancestor.resourceId }
    const name = (reason: Reason) => (ancestor === resource ? reason : { ...reason, inheritedFrom })
    const add = ({ bits, reason, withheld }: Found) =>
      found.push({
        bits,
        reason: name(reason),
        ...(withheld && { withheld: { ...withheld, reason: name(withheld.reason) } }),
      })
    const addGranted = (reason: Reason, granted: Granted) => {
      const { permission, role, expiresAt, condition } = granted
      if (expiresAt && expiresAt.getTime() <= now) return
      const bits = bitsOf(state, ancestor.type, granted, action)
      const details = {
        ...(permission && { permission }),
        ...(role !== undefined && { role }),
        ...(expiresAt && { expiresAt }),
        ...(condition && { condition: condition.name }),
      }
      const verdict = condition && evaluate(condition)
      const described = name({ ...reason, ...details })
      found.push({
        bits: !verdict || verdict.isTrue ? bits : 0,
        reason: described,
        ...(verdict?.hasFailed && { withheld: { bits, reason: describeFailure(described) } }),
      })
    }
    const own = { subject, groupIds, resource: ancestor, allowPublic, isGuest }
    for (const find of Object.values(ownGrants))
      for (const one of find(own))
        if ('granted' in one) addGranted(one.reason, one.granted)
        else add(one)
    current = current.inherits ? current.parent : undefined
  }
  return found
}

/** Returns the custom roles with which a subject may perform a registered action. */
export function findCustomRoles(
  state: FakeState,
  subject: FakeSubject,
  action: string,
  workspaceId: string,
): Reason[] {
  if (!state.actions.has(action)) return []
  const roles = state.customRoles.filter(
    (role) => role.workspaceId === workspaceId && role.actions.includes(action),
  )
  const groupIds = findGroups(state, subject.id)
  const direct: Reason[] = roles
    .filter(({ members }) => members.includes(subject.id))
    .map(({ name }) => ({ rule: 'custom_role', role: name }))
  const ofGroups: Reason[] = roles.flatMap(({ name, groups = [] }) =>
    groups
      .filter((id) => groupIds.has(id))
      .map((groupId) => ({ rule: 'custom_role' as const, role: name, groupId })),
  )
  return [...direct, ...ofGroups]
}

function describeFailure({ condition, shareId, linkId }: Reason): Reason {
  return {
    rule: 'condition_failed',
    ...(condition && { condition }),
    ...(shareId && { shareId }),
    ...(linkId && { linkId }),
  }
}

/** Returns the grants that a share or link gives for an action. */
function bitsOf(
  state: FakeState,
  type: string,
  { permission, role: name }: Granted,
  action: string,
): number {
  if (permission) return permission === 'edit' ? grant.edit | grant.view : grant.view
  const role = findDeclaration(state, type).roles.find((role) => role.name === name)
  const { actions = [] } = role ?? {}
  const isViewer = builtInActions.some((name) => actions.includes(name))
  return (
    (isViewer ? grant.view : 0) |
    (actions.includes('edit') ? grant.edit : 0) |
    (actions.includes('manage') ? grant.manage : 0) |
    (actions.includes(action) ? grant.action : 0)
  )
}

/** Returns the groups that contain a user, directly or through other groups, or a group itself. */
function findGroups({ groups }: FakeState, id: string): Set<string> {
  const found = new Set<string>()
  for (const [groupId, { members }] of groups)
    if (members.has(id) || groupId === id) found.add(groupId)
  // The loop also visits groups that it adds.
  for (const child of found)
    for (const [groupId, { groups: children }] of groups)
      if (children.has(child)) found.add(groupId)
  return found
}
