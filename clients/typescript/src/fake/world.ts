import type { Permission, Resource, Visibility } from '../api.ts'
import type { Role } from '../gen/core/roles.ts'
import { resourceId } from '../resource-id.ts'

/** The facts that a fake bases its decisions on. Everything is optional. */
export type FakeWorld = {
  /** The service of the resources. Defaults to `test`. */
  service?: string
  users?: { id: string; email?: string; externalId?: string; isActive?: boolean }[]
  /**
   * Workspaces that appear in `members` or `resources`, and users that appear in `members`, exist
   * without being listed.
   */
  workspaces?: { id: string }[]
  members?: { workspaceId: string; userId: string; role: Role }[]
  groups?: { id: string; workspaceId: string; members?: string[]; groups?: string[] }[]
  /** The actions that the service has registered, in addition to `view`, `edit` and `manage`. */
  actions?: string[]
  /** Custom roles. */
  roles?: { name: string; workspaceId: string; actions: string[]; members: string[] }[]
  resources?: (Resource & {
    workspaceId: string
    ownerId: string
    visibility?: Visibility
    parent?: Resource
    inherits?: boolean
  })[]
  shares?: {
    resource: Resource
    userId?: string
    groupId?: string
    permission: Permission
    expiresAt?: Date
  }[]
}

export type FakeUser = { id: string; email: string; externalId: string; isActive: boolean }

export type FakeShare = {
  id: string
  userId: string | undefined
  groupId: string | undefined
  permission: Permission
  grantedBy: string
  grantedAt: Date
  expiresAt: Date | undefined
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
  createdAt: Date
  shares: FakeShare[]
}

/** The state of a fake. */
export type FakeState = {
  service: string
  users: Map<string, FakeUser>
  workspaceIds: Set<string>
  /** The role of a user in a workspace. */
  roles: Map<string, Role>
  groups: Map<string, { workspaceId: string; members: Set<string>; groups: Set<string> }>
  actions: Set<string>
  customRoles: { name: string; workspaceId: string; actions: string[]; members: string[] }[]
  resources: Map<string, FakeResource>
}

export function memberKey(workspaceId: string, userId: string): string {
  return `${workspaceId} ${userId}`
}

export function resourceKey({ service }: FakeState, { type, id }: Resource): string {
  return `${type} ${resourceId(service, type, id)}`
}

/**
 * Creates the state of a fake. Throws an Error if the world refers to an object that it does not
 * contain.
 */
export function createState(world: FakeWorld): FakeState {
  const { users = [], workspaces = [], members = [], groups = [], resources = [] } = world
  const state: FakeState = {
    service: world.service ?? 'test',
    users: new Map(),
    workspaceIds: new Set(),
    roles: new Map(),
    groups: new Map(),
    actions: new Set(world.actions),
    customRoles: world.roles ?? [],
    resources: new Map(),
  }
  for (const { id, email = '', externalId = '', isActive = true } of users)
    state.users.set(id, { id, email, externalId, isActive })
  for (const { id } of workspaces) state.workspaceIds.add(id)
  for (const { workspaceId, userId, role } of members) {
    state.workspaceIds.add(workspaceId)
    if (!state.users.has(userId))
      state.users.set(userId, { id: userId, email: '', externalId: '', isActive: true })
    state.roles.set(memberKey(workspaceId, userId), role)
  }
  for (const { id, workspaceId, members = [], groups: children = [] } of groups)
    state.groups.set(id, { workspaceId, members: new Set(members), groups: new Set(children) })
  for (const resource of resources) addResource(state, resource)
  for (const share of world.shares ?? []) addShare(state, share)
  return state
}

function addResource(
  state: FakeState,
  { parent, ...resource }: NonNullable<FakeWorld['resources']>[number],
): void {
  const { type, id, workspaceId, ownerId, visibility = 'private', inherits = true } = resource
  const parentResource = parent && state.resources.get(resourceKey(state, parent))
  if (parent && !parentResource)
    throw new Error(`resources: list the parent ${parent.type} ${parent.id} before ${type} ${id}`)
  if (!state.roles.has(memberKey(workspaceId, ownerId)))
    throw new Error(`resources: the owner of ${type} ${id} is not in members of its workspace`)
  state.resources.set(resourceKey(state, resource), {
    type,
    id,
    resourceId: resourceId(state.service, type, id),
    workspaceId,
    ownerId,
    visibility,
    parent: parentResource,
    inherits,
    createdAt: new Date(),
    shares: [],
  })
}

function addShare(
  state: FakeState,
  { resource, userId, groupId, permission, expiresAt }: NonNullable<FakeWorld['shares']>[number],
): void {
  const found = state.resources.get(resourceKey(state, resource))
  if (!found) throw new Error(`shares: ${resource.type} ${resource.id} is not in resources`)
  if (groupId && !state.groups.has(groupId))
    throw new Error(`shares: the group ${groupId} is not in groups`)
  found.shares.push({
    id: `share-${found.shares.length + 1}`,
    userId,
    groupId,
    permission,
    grantedBy: found.ownerId,
    grantedAt: new Date(),
    expiresAt,
  })
}
