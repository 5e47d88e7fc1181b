import type { Condition, Permission, Resource, Visibility } from '../argument-types.ts'
import type { Role } from '../gen/core/roles.ts'
import { resourceId } from '../resource-id.ts'
import type { TypeDeclaration } from '../resource-types.ts'
import type { FakeCondition } from './conditions.ts'
import {
  declareType,
  findDeclaration,
  requireCondition,
  requireVisibility,
} from './declarations.ts'
import { type FakeRole, type FakeState, memberKey, resourceKey } from './state.ts'

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
  /** From `expiresAt` on, the user is not a member. A `guest` has the role `viewer`. */
  members?: {
    workspaceId: string
    userId: string
    role: Role
    guest?: boolean
    expiresAt?: Date
  }[]
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
  /**
   * Delegations of users to agents. A list that is absent stands for all, and at least one is required.
   * `serviceName` defaults to the service of the world. An `ended` delegation was ended before it expired; one
   * ends with the membership of its user, too.
   */
  delegations?: {
    id: string
    userId: string
    workspaceId: string
    agent?: { type: 'service_account' | 'client'; id: string; name?: string }
    serviceName?: string
    actions?: string[]
    resourceTypes?: string[]
    resources?: Resource[]
    expiresAt?: Date
    ended?: boolean
  }[]
  /** Shares with either a permission or a role. */
  shares?: ({
    resource: Resource
    userId?: string
    groupId?: string
    expiresAt?: Date
    condition?: Condition
  } & ({ permission: Permission } | { role: string }))[]
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
    delegations: new Map(),
  }
  for (const { id, name = '', email = '', externalId = '', isActive = true } of users)
    state.users.set(id, { id, name, email, externalId, isActive })
  for (const { id, slug = '' } of workspaces) state.workspaces.set(id, slug)
  for (const { workspaceId, userId, role, guest: isGuest = false, expiresAt } of members) {
    if (isGuest && role !== 'viewer')
      throw new Error(`members: the guest ${userId} of ${workspaceId} must have the role viewer`)
    if (!state.workspaces.has(workspaceId)) state.workspaces.set(workspaceId, '')
    if (!state.users.has(userId))
      state.users.set(userId, { id: userId, name: '', email: '', externalId: '', isActive: true })
    state.members.set(memberKey(workspaceId, userId), { role, isGuest, expiresAt })
  }
  for (const { id, workspaceId, name = '', members = [], groups: children = [] } of groups) {
    const contained = { members: new Set(members), groups: new Set(children) }
    state.groups.set(id, { workspaceId, name, ...contained })
  }
  for (const { type, ...declared } of world.resourceTypes ?? []) declareType(state, type, declared)
  for (const resource of resources) addResource(state, resource)
  for (const share of world.shares ?? []) addShare(state, share)
  for (const delegation of world.delegations ?? []) addDelegation(state, delegation)
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

function addDelegation(
  state: FakeState,
  {
    id,
    userId,
    workspaceId,
    serviceName: service = state.service,
    expiresAt,
    ended: isEnded = false,
    ...delegation
  }: NonNullable<FakeWorld['delegations']>[number],
): void {
  const { agent = { type: 'service_account', id: 'agent' } } = delegation
  const { actions = null, resourceTypes = null, resources = null } = delegation
  if (!state.members.has(memberKey(workspaceId, userId)))
    throw new Error(`delegations: the user of ${id} is not in members of its workspace`)
  if (!actions && !resourceTypes && !resources)
    throw new Error(`delegations: ${id} needs actions, resourceTypes or resources`)
  const covered = resources?.map((resource) => {
    const found = state.resources.get(resourceKey(state, resource))
    if (found) return found
    throw new Error(`delegations: ${resource.type} ${resource.id} is not in resources`)
  })
  state.delegations.set(id, {
    ...{ id, userId, workspaceId, service, actions, resourceTypes, expiresAt, isEnded },
    agent: { ...agent, name: agent.name ?? agent.id },
    resources: covered ?? null,
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
