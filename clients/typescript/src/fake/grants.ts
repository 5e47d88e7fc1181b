import { builtInActions, grant } from '../gen/permissions/access.ts'
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
  // Inherited from a public resource by one that may not be public, the visibility means `workspace`.
  const { allowPublic } = findDeclaration(state, resource.type)
  const found: Found[] = []
  const now = Date.now()
  let current: FakeResource | undefined = resource
  while (current) {
    const ancestor: FakeResource = current
    const add = (bits: number, reason: Reason, judged?: Found['judged']) => {
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
        verdict && !verdict.isTrue ? 0 : bits,
        { ...reason, ...details },
        verdict && { ...verdict, bits },
      )
    }
    if (current.ownerId === subject.id) add(grant.owner, { rule: 'owner' })
    if (current.visibility === 'public' && allowPublic)
      add(grant.workspace | grant.public, { rule: 'public' })
    // The holder of a link is no member.
    else if (current.visibility !== 'private' && subject.kind !== 'link')
      add(grant.workspace, { rule: 'workspace_visibility' })
    for (const { id: shareId, userId, groupId, ...granted } of current.shares) {
      if (userId !== undefined && userId === subject.id)
        addGranted({ rule: 'share', shareId }, granted)
      if (groupId && groupIds.has(groupId))
        addGranted({ rule: 'group_share', groupId, shareId }, granted)
    }
    if (subject.kind === 'link')
      for (const { id: linkId, ...granted } of current.links)
        if (linkId === subject.id) addGranted({ rule: 'link', linkId }, granted)
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
