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
import { type FakeResource, type FakeState, type FakeUser, memberKey } from './world.ts'

/** A user. If an access token identifies the user, decisions are restricted to its workspace. */
export type FakeSubject = { user: FakeUser | undefined; workspaceId: string | undefined }

/** A grant and the bit in access.ts that represents it. */
type Found = { bit: number; reason: Reason }

/** Decides by the server's rules, which src/gen/permissions/access.ts contains a copy of. */
export function decide(
  state: FakeState,
  { user, workspaceId }: FakeSubject,
  action: string,
  resource: FakeResource | undefined,
): Explanation {
  if (!user) return deny('user_unknown')
  if (!user.isActive) return deny('user_inactive')
  if (!resource || (workspaceId !== undefined && resource.workspaceId !== workspaceId))
    return deny('resource_unknown')
  const role = state.roles.get(memberKey(resource.workspaceId, user.id))
  if (!role) return deny('not_a_member')
  const found = findGrants(state, user, resource)
  const customRoles = findCustomRoles(state, user, action, resource)
  const facts =
    found.reduce<number>((bits, { bit }) => bits | bit, grant.registered) |
    (state.actions.has(action) ? actionFact.registered : 0) |
    (customRoles.length > 0 ? actionFact.granted : 0)
  if (!isAllowed(role, action, facts))
    return deny(isAllowed('owner', action, facts) ? 'no_grant' : 'action_unknown')
  return { allowed: true, reasons: listReasons(role, action, facts, found, customRoles) }
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
  for (const { bit, reason } of found) if (bit & sufficient) reasons.push(reason)
  const isVisible = reasons.some(({ rule }) => rule !== 'workspace_role' && rule !== 'owner')
  if (!builtInActions.includes(action) && isVisible) reasons.push(...customRoles)
  return reasons
}

/** Returns the grants of a user on a resource and on the ancestors that it inherits from. */
function findGrants(state: FakeState, user: FakeUser, resource: FakeResource): Found[] {
  const groupIds = findGroups(state, user.id)
  const found: Found[] = []
  const now = Date.now()
  let current: FakeResource | undefined = resource
  while (current) {
    const ancestor: FakeResource = current
    const add = (bit: number, reason: Reason) => {
      const inheritedFrom = { type: ancestor.type, resourceId: ancestor.resourceId }
      found.push({ bit, reason: ancestor === resource ? reason : { ...reason, inheritedFrom } })
    }
    if (current.ownerId === user.id) add(grant.owner, { rule: 'owner' })
    if (current.visibility === 'workspace') add(grant.workspace, { rule: 'workspace_visibility' })
    for (const { id, userId, groupId, permission, expiresAt } of current.shares) {
      if (expiresAt && expiresAt.getTime() <= now) continue
      const bit = permission === 'edit' ? grant.edit | grant.view : grant.view
      const end = expiresAt && { expiresAt }
      if (userId === user.id) add(bit, { rule: 'share', permission, shareId: id, ...end })
      if (groupId && groupIds.has(groupId))
        add(bit, { rule: 'group_share', permission, groupId, shareId: id, ...end })
    }
    current = current.inherits ? current.parent : undefined
  }
  return found
}

function findCustomRoles(
  state: FakeState,
  user: FakeUser,
  action: string,
  { workspaceId }: FakeResource,
): Reason[] {
  if (!state.actions.has(action)) return []
  const roles = state.customRoles.filter(
    (role) =>
      role.workspaceId === workspaceId &&
      role.actions.includes(action) &&
      role.members.includes(user.id),
  )
  return roles.map(({ name }) => ({ rule: 'custom_role', role: name }))
}

/** Returns the groups that contain a user, directly or through other groups. */
function findGroups({ groups }: FakeState, userId: string): Set<string> {
  const found = new Set<string>()
  for (const [id, { members }] of groups) if (members.has(userId)) found.add(id)
  // The loop also visits groups that it adds.
  for (const child of found)
    for (const [id, { groups: children }] of groups) if (children.has(child)) found.add(id)
  return found
}

function deny(rule: Reason['rule']): Explanation {
  return { allowed: false, reasons: [{ rule }] }
}
