import type { Condition, Permission, Resource, Visibility } from '../argument-types.ts'
import { normalizeEmail } from '../gen/core/email.ts'
import type { Role } from '../gen/core/roles.ts'
import type { NewLink } from '../links.ts'
import { isUuid, resourceId } from '../resource-id.ts'
import type { DeclaredType } from '../resource-types.ts'
import type { FakeCondition } from './conditions.ts'

/** The declaration of a type; without a declaration, everything is empty. */
export type Declaration = Omit<DeclaredType, 'type' | 'uses'>

export type FakeRole = {
  name: string
  workspaceId: string
  actions: string[]
  members: string[]
  groups?: string[]
}

export type FakeUser = {
  id: string
  name: string
  email: string
  externalId: string
  isActive: boolean
}

export type FakeShare = {
  id: string
  userId: string | undefined
  groupId: string | undefined
  permission: Permission | undefined
  role: string | undefined
  grantedBy: string
  grantedAt: Date
  expiresAt: Date | undefined
  condition: Condition | undefined
}

export type FakeResource = {
  type: string
  id: string
  resourceId: string
  workspaceId: string
  ownerId: string
  visibility: Visibility
  parent: FakeResource | undefined
  inherits: boolean
  attributes: Record<string, unknown>
  displayName: string | undefined
  createdAt: Date
  shares: FakeShare[]
  links: NewLink[]
}

/** A delegation of a user. */
export type FakeDelegation = {
  id: string
  userId: string
  workspaceId: string
  agent: { type: 'service_account' | 'client'; id: string; name: string }
  service: string
  actions: string[] | null
  resourceTypes: string[] | null
  resources: FakeResource[] | null
  expiresAt: Date | undefined
  isEnded: boolean
}

export type FakeMember = { role: Role; isGuest: boolean; expiresAt: Date | undefined }

/** The state of a fake. */
export type FakeState = {
  service: string
  keyService: string
  users: Map<string, FakeUser>
  /** The slugs of workspaces by ID; empty if a workspace has none. */
  workspaces: Map<string, string>
  /** The memberships of users in workspaces; use `findMember`. */
  members: Map<string, FakeMember>
  groups: Map<
    string,
    { workspaceId: string; name: string; members: Set<string>; groups: Set<string> }
  >
  actions: Set<string>
  customRoles: FakeRole[]
  resourceTypes: Map<string, Declaration>
  conditions: Map<string, FakeCondition>
  resources: Map<string, FakeResource>
  delegations: Map<string, FakeDelegation>
}

/** Returns the membership of a user in a workspace, or undefined if the user is not a member. */
export function findMember(
  { members }: FakeState,
  workspaceId: string,
  userId: string,
): FakeMember | undefined {
  const member = members.get(memberKey(workspaceId, userId))
  return member?.expiresAt && member.expiresAt.getTime() <= Date.now() ? undefined : member
}

/** Returns the role of a user in a workspace, or undefined if the user is not a member. */
export function findRole(state: FakeState, workspaceId: string, userId: string): Role | undefined {
  return findMember(state, workspaceId, userId)?.role
}

export function memberKey(workspaceId: string, userId: string): string {
  return `${workspaceId} ${userId}`
}

/**
 * Finds a user as the server does: the form of a name decides whether it is an ID, an e-mail
 * address or an external ID. Tests may also use IDs that are not UUIDs.
 */
export function findUser({ users }: FakeState, name: string): FakeUser | undefined {
  const all = [...users.values()]
  if (isUuid(name)) return all.find(({ id }) => id.toLowerCase() === name.toLowerCase())
  const address = normalizeEmail(name)
  if (address) return all.find(({ email }) => email.toLowerCase() === address)
  return all.find(({ id, externalId }) => externalId === name || id === name)
}

export function resourceKey({ service }: FakeState, { type, id }: Resource): string {
  return `${type} ${resourceId(service, type, id)}`
}
