import { builtInActions, grant } from '../gen/permissions/access.ts'
import type { GrantRule } from '../gen/permissions/engine/grants/grant-rule.ts'
import type { Reason } from '../results.ts'
import type { Evaluate, Verdict } from './conditions.ts'
import { findDeclaration } from './declarations.ts'
import type { FakeResource, FakeState } from './state.ts'
import type { FakeSubject } from './subjects.ts'
import type { Granted } from './terms.ts'

/**
 * A grant and the bits in access.ts that represent it: none if its condition is false. `judged` has
 * those that it would have.
 */
export type Found = { bits: number; reason: Reason; judged?: Verdict & { bits: number } }

/** What decides which grants a subject has on a resource itself. */
type Own = {
  subject: FakeSubject
  groupIds: Set<string>
  resource: FakeResource
  /** Whether the resource that is asked about may be public. */
  allowPublic: boolean
}

/** A grant: its bits, or the terms that say them. */
type OwnGrant = { reason: Reason; bits: number } | { reason: Reason; granted: Granted }

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
      ? [{ bits: grant.workspace, reason: { rule: 'workspace_visibility' } }]
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
  const found: Found[] = []
  const now = Date.now()
  let current: FakeResource | undefined = resource
  while (current) {
    const ancestor: FakeResource = current
    const add = (reason: Reason, bits: number, judged?: Found['judged']) => {
      const inheritedFrom = { type: ancestor.type, resourceId: ancestor.resourceId }
      found.push({
        bits,
        reason: ancestor === resource ? reason : { ...reason, inheritedFrom },
        ...(judged && { judged }),
      })
    }
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
      add(
        { ...reason, ...details },
        verdict && !verdict.isTrue ? 0 : bits,
        verdict && { ...verdict, bits },
      )
    }
    const own = { subject, groupIds, resource: ancestor, allowPublic }
    for (const find of Object.values(ownGrants))
      for (const one of find(own))
        if ('granted' in one) addGranted(one.reason, one.granted)
        else add(one.reason, one.bits)
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
