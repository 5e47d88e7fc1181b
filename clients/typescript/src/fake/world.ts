import type { Condition, Permission, Resource, Visibility } from '../argument-types.ts'
import { invalidArgument } from '../errors.ts'
import { normalizeEmail } from '../gen/core/email.ts'
import type { Role } from '../gen/core/roles.ts'
import type { NewLink } from '../links.ts'
import { isUuid, resourceId } from '../resource-id.ts'
import type { TypeDeclaration } from '../resource-types.ts'
import type { FakeCondition } from './conditions.ts'
import { type Declaration, declareType, findDeclaration, requireCondition } from './declarations.ts'

/** The facts that a fake bases its decisions on. Everything is optional. */
export type FakeWorld = {
  /** The service that the client names, and that the resources belong to. Defaults to `test`. */
  service?: string
  /**
   * The service of the key, by default `service`. With any other, operations fail with
   * `OTHER_SERVICE`, as for a client with a wrong `service`.
   */
  keyService?: string
  users?: { id: string; name?: string; email?: string; externalId?: string; isActive?: boolean }[]
  /**
   * Workspaces and users that appear in `members` exist without being listed. Their IDs, and those of
   * groups, may be any text, such as `acme`.
   */
  workspaces?: { id: string; slug?: string }[]
  /** From `expiresAt` on, the user is not a member. */
  members?: { workspaceId: string; userId: string; role: Role; expiresAt?: Date }[]
  groups?: {
    id: string
    workspaceId: string
    name?: string
    members?: string[]
    groups?: string[]
  }[]
  /** The actions that the service has registered, in addition to `view`, `edit` and `manage`. */
  actions?: string[]
  /** Custom roles. `groups` contains the IDs of groups, whose members have the role, too. */
  roles?: FakeRole[]
  resources?: (Resource & {
    workspaceId: string
    ownerId: string
    visibility?: Visibility
    parent?: Resource
    inherits?: boolean
    attributes?: Record<string, unknown>
    displayName?: string
  })[]
  /** What the service has declared about resource types. */
  resourceTypes?: ({ type: string } & TypeDeclaration)[]
  /**
   * Functions for the conditions of `resourceTypes`, by name. They stand for the expressions, which
   * only the server evaluates.
   */
  conditions?: Record<string, FakeCondition>
  /** Shares with either a permission or a role. */
  shares?: ({
    resource: Resource
    userId?: string
    groupId?: string
    expiresAt?: Date
    condition?: Condition
  } & ({ permission: Permission } | { role: string }))[]
}

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

/** The state of a fake. */
export type FakeState = {
  service: string
  keyService: string
  users: Map<string, FakeUser>
  /** The slugs of workspaces by ID; empty if a workspace has none. */
  workspaces: Map<string, string>
  /** The memberships of users in workspaces; use `findRole`. */
  members: Map<string, { role: Role; expiresAt: Date | undefined }>
  groups: Map<
    string,
    { workspaceId: string; name: string; members: Set<string>; groups: Set<string> }
  >
  actions: Set<string>
  customRoles: FakeRole[]
  resourceTypes: Map<string, Declaration>
  conditions: Map<string, FakeCondition>
  resources: Map<string, FakeResource>
}

/** Returns the role of a user in a workspace, or undefined if the user is not a member. */
export function findRole(
  { members }: FakeState,
  workspaceId: string,
  userId: string,
): Role | undefined {
  const { role, expiresAt } = members.get(memberKey(workspaceId, userId)) ?? {}
  return expiresAt && expiresAt.getTime() <= Date.now() ? undefined : role
}

function memberKey(workspaceId: string, userId: string): string {
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

/**
 * Creates the state of a fake. Throws an Error if the world refers to an object that it does not
 * contain.
 */
export function createState(world: FakeWorld): FakeState {
  const {
    service = 'test',
    users = [],
    workspaces = [],
    members = [],
    groups = [],
    resources = [],
  } = world
  const state: FakeState = {
    service,
    keyService: world.keyService ?? service,
    users: new Map(),
    workspaces: new Map(),
    members: new Map(),
    groups: new Map(),
    actions: new Set(world.actions),
    customRoles: world.roles ?? [],
    resourceTypes: new Map(),
    conditions: new Map(Object.entries(world.conditions ?? {})),
    resources: new Map(),
  }
  for (const { id, name = '', email = '', externalId = '', isActive = true } of users)
    state.users.set(id, { id, name, email, externalId, isActive })
  for (const { id, slug = '' } of workspaces) state.workspaces.set(id, slug)
  for (const { workspaceId, userId, role, expiresAt } of members) {
    if (!state.workspaces.has(workspaceId)) state.workspaces.set(workspaceId, '')
    if (!state.users.has(userId))
      state.users.set(userId, { id: userId, name: '', email: '', externalId: '', isActive: true })
    state.members.set(memberKey(workspaceId, userId), { role, expiresAt })
  }
  for (const { id, workspaceId, name = '', members = [], groups: children = [] } of groups) {
    const contained = { members: new Set(members), groups: new Set(children) }
    state.groups.set(id, { workspaceId, name, ...contained })
  }
  for (const { type, ...declared } of world.resourceTypes ?? []) declareType(state, type, declared)
  for (const resource of resources) addResource(state, resource)
  for (const share of world.shares ?? []) addShare(state, share)
  return state
}

/** Requires that a type allows a visibility. */
export function requireVisibility(state: FakeState, type: string, visibility: string): void {
  if (!['private', 'workspace', 'public'].includes(visibility))
    throw invalidArgument({
      field: 'visibility',
      message: 'must be one of private, workspace, public',
    })
  if (visibility === 'public' && !findDeclaration(state, type).allowPublic)
    throw invalidArgument({
      field: 'visibility',
      message: `must not be public: the declaration of ${type} does not allow it`,
    })
}

/** Requires a UUID, as the server does. The IDs of users, workspaces and groups of a test may be any text. */
export function requireId(
  { users, workspaces, groups }: FakeState,
  field: string,
  id: string,
): void {
  if (isUuid(id) || users.has(id) || workspaces.has(id) || groups.has(id)) return
  throw invalidArgument({ field, message: 'must be a UUID' })
}

function addResource(
  state: FakeState,
  { parent, ...resource }: NonNullable<FakeWorld['resources']>[number],
): void {
  const { type, id, workspaceId, ownerId, visibility = 'private', inherits = true } = resource
  const parentResource = parent && state.resources.get(resourceKey(state, parent))
  if (parent && !parentResource)
    throw new Error(`resources: list the parent ${parent.type} ${parent.id} before ${type} ${id}`)
  if (!state.members.has(memberKey(workspaceId, ownerId)))
    throw new Error(`resources: the owner of ${type} ${id} is not in members of its workspace`)
  requireVisibility(state, type, visibility)
  state.resources.set(resourceKey(state, resource), {
    type,
    id,
    resourceId: resourceId(state.service, type, id),
    workspaceId,
    ownerId,
    visibility,
    parent: parentResource,
    inherits,
    attributes: resource.attributes ?? {},
    displayName: resource.displayName,
    createdAt: new Date(),
    shares: [],
    links: [],
  })
}

function addShare(
  state: FakeState,
  {
    resource,
    userId,
    groupId,
    expiresAt,
    condition,
    ...grant
  }: NonNullable<FakeWorld['shares']>[number],
): void {
  const found = state.resources.get(resourceKey(state, resource))
  if (!found) throw new Error(`shares: ${resource.type} ${resource.id} is not in resources`)
  if (groupId && !state.groups.has(groupId))
    throw new Error(`shares: the group ${groupId} is not in groups`)
  const { roles } = findDeclaration(state, resource.type)
  if ('role' in grant && !roles.some(({ name }) => name === grant.role))
    throw new Error(`shares: the role ${grant.role} of ${resource.type} is not in resourceTypes`)
  requireCondition(state, resource.type, condition)
  found.shares.push({
    id: `share-${found.shares.length + 1}`,
    userId,
    groupId,
    permission: 'role' in grant ? undefined : grant.permission,
    role: 'role' in grant ? grant.role : undefined,
    grantedBy: found.ownerId,
    grantedAt: new Date(),
    expiresAt,
    condition,
  })
}
