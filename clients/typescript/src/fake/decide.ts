import type { Explanation, Reason } from '../api.ts'
import type { Role } from '../gen/core/roles.ts'
import {
  actionFact,
  builtInActions,
  coversWorkspace,
  grant,
  isAllowed,
  sufficientGrants,
} from '../gen/permissions/access.ts'
import {
  type FakeResource,
  type FakeShare,
  type FakeState,
  type FakeUser,
  findResourceRole,
  findRole,
} from './world.ts'

/**
 * A user. If an access token identifies the user, decisions are restricted to its workspace, except
 * that every user may view what is public. A group is decided as a user who is a viewer of its
 * workspace and in the group.
 */
export type FakeSubject = {
  user: FakeUser | undefined
  workspaceId: string | undefined
  isGroup?: boolean
  /** Whether the subject names a user who does not exist, and who may view what is public. */
  isUnknown?: boolean
}

/** A grant and the bits in access.ts that represent it. */
type Found = { bits: number; reason: Reason }

/** Decides by the server's rules, which src/gen/permissions/access.ts contains a copy of. */
export function decide(
  state: FakeState,
  subject: FakeSubject,
  action: string,
  resource: FakeResource | undefined,
): Explanation {
  const member = findMember(state, subject, resource)
  if (typeof member === 'string') {
    const isAccepted = subject.user ? subject.user.isActive : subject.isUnknown
    const reasons = resource && isAccepted ? findPublic(state, action, resource) : []
    return reasons.length > 0 ? { allowed: true, reasons } : deny(member)
  }
  const { user, role } = member
  if (!resource) return deny('resource_unknown')
  const found = findGrants(state, user, action, resource)
  const customRoles = findCustomRoles(state, user, action, resource)
  const facts =
    found.reduce<number>((all, { bits }) => all | bits, grant.registered) |
    (state.actions.has(action) ? actionFact.registered : 0) |
    (customRoles.length > 0 ? actionFact.granted : 0)
  if (!isAllowed(role, action, facts))
    return deny(isAllowed('owner', action, facts) ? 'no_grant' : 'action_unknown')
  return { allowed: true, reasons: listReasons(role, action, facts, found, customRoles) }
}

/** Whether a subject is an active member of the workspace of a resource, or a group of it. */
export function isMember(state: FakeState, subject: FakeSubject, resource: FakeResource): boolean {
  return typeof findMember(state, subject, resource) !== 'string'
}

/** Returns the role of a subject in the workspace of a resource, or why it has none. */
function findMember(
  state: FakeState,
  { user, workspaceId, isGroup }: FakeSubject,
  resource: FakeResource | undefined,
): { user: FakeUser; role: Role } | Reason['rule'] {
  if (!user) return 'user_unknown'
  if (!user.isActive) return 'user_inactive'
  if (!resource || (workspaceId !== undefined && resource.workspaceId !== workspaceId))
    return 'resource_unknown'
  const role = isGroup
    ? roleOfGroup(state, resource.workspaceId, user.id)
    : findRole(state, resource.workspaceId, user.id)
  return role ? { user, role } : 'not_a_member'
}

/** Returns the reasons why everybody may perform an action. */
function findPublic(state: FakeState, action: string, resource: FakeResource): Reason[] {
  if (action !== 'view') return []
  return findGrants(state, nobody, action, resource)
    .filter(({ bits }) => bits & grant.public)
    .map(({ reason }) => reason)
}

const nobody: FakeUser = { id: '', email: '', externalId: '', isActive: true }

function roleOfGroup(
  { groups }: FakeState,
  workspaceId: string,
  groupId: string,
): Role | undefined {
  return groups.get(groupId)?.workspaceId === workspaceId ? 'viewer' : undefined
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

/** Whether a user owns a resource or an ancestor that it inherits from, or administers its workspace. */
export function isOwner(state: FakeState, user: FakeUser, resource: FakeResource): boolean {
  const role = findRole(state, resource.workspaceId, user.id)
  return (
    (role !== undefined && coversWorkspace(role)) ||
    findGrants(state, user, 'manage', resource).some(({ bits }) => bits & grant.owner)
  )
}

/** Returns the grants of a user on a resource and on the ancestors that it inherits from. */
function findGrants(
  state: FakeState,
  user: FakeUser,
  action: string,
  resource: FakeResource,
): Found[] {
  const groupIds = findGroups(state, user.id)
  // Inherited from a public resource by one that may not be public, the visibility means `workspace`.
  const allowsPublic = state.resourceTypes.get(resource.type)?.allowPublic === true
  const found: Found[] = []
  const now = Date.now()
  let current: FakeResource | undefined = resource
  while (current) {
    const ancestor: FakeResource = current
    const add = (bits: number, reason: Reason) => {
      const inheritedFrom = { type: ancestor.type, resourceId: ancestor.resourceId }
      found.push({ bits, reason: ancestor === resource ? reason : { ...reason, inheritedFrom } })
    }
    if (current.ownerId === user.id) add(grant.owner, { rule: 'owner' })
    if (current.visibility === 'public' && allowsPublic)
      add(grant.workspace | grant.public, { rule: 'public' })
    else if (current.visibility !== 'private')
      add(grant.workspace, { rule: 'workspace_visibility' })
    for (const share of current.shares) {
      const { id: shareId, userId, groupId, permission, role, expiresAt } = share
      if (expiresAt && expiresAt.getTime() <= now) continue
      const bits = shareBits(state, current.type, share, action)
      const granted = permission ? { permission } : role !== undefined && { role }
      const details = { ...granted, shareId, ...(expiresAt && { expiresAt }) }
      if (userId === user.id) add(bits, { rule: 'share', ...details })
      if (groupId && groupIds.has(groupId)) add(bits, { rule: 'group_share', groupId, ...details })
    }
    current = current.inherits ? current.parent : undefined
  }
  return found
}

/** Returns the grants that a share of a resource gives for an action. */
function shareBits(
  state: FakeState,
  type: string,
  { permission, role = '' }: FakeShare,
  action: string,
): number {
  if (permission) return permission === 'edit' ? grant.edit | grant.view : grant.view
  const { actions = [] } = findResourceRole(state, type, role) ?? {}
  const isViewer = builtInActions.some((name) => actions.includes(name))
  return (
    (isViewer ? grant.view : 0) |
    (actions.includes('edit') ? grant.edit : 0) |
    (actions.includes('manage') ? grant.manage : 0) |
    (actions.includes(action) ? grant.action : 0)
  )
}

function findCustomRoles(
  state: FakeState,
  user: FakeUser,
  action: string,
  { workspaceId }: FakeResource,
): Reason[] {
  if (!state.actions.has(action)) return []
  const roles = state.customRoles.filter(
    (role) => role.workspaceId === workspaceId && role.actions.includes(action),
  )
  const groupIds = findGroups(state, user.id)
  const direct: Reason[] = roles
    .filter(({ members }) => members.includes(user.id))
    .map(({ name }) => ({ rule: 'custom_role', role: name }))
  const ofGroups: Reason[] = roles.flatMap(({ name, groups = [] }) =>
    groups
      .filter((id) => groupIds.has(id))
      .map((groupId) => ({ rule: 'custom_role' as const, role: name, groupId })),
  )
  return [...direct, ...ofGroups]
}

/** Returns the groups that contain a user, directly or through other groups, or a group itself. */
function findGroups({ groups }: FakeState, userId: string): Set<string> {
  const found = new Set<string>()
  for (const [id, { members }] of groups) if (members.has(userId) || id === userId) found.add(id)
  // The loop also visits groups that it adds.
  for (const child of found)
    for (const [id, { groups: children }] of groups) if (children.has(child)) found.add(id)
  return found
}

function deny(rule: Reason['rule']): Explanation {
  return { allowed: false, reasons: [{ rule }] }
}
