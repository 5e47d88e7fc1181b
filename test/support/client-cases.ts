import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Condition, TypeDeclaration } from '../../clients/typescript/src/daikon.ts'
import type { Role } from '../../src/core/roles.ts'
import { toResourceId } from '../../src/permissions/resource-id.ts'
import { insertDelegation } from './delegation-rows.ts'
import { expectOk } from './outcome.ts'
import type { TestEnvironment } from './test-environment.ts'
import type { Transport } from './transports.ts'

/** `clients/cases.json`, which the tests of every client run; see clients/README.md. */
export type ClientCases = { service: string; world: World; cases: ClientCase[] }

/** One call of a client, and its expected result or error. */
export type ClientCase = {
  name: string
  /** The service that the client names, if it is not the key's. */
  service?: string
  /** `cel`: only a server can evaluate the expressions that the case depends on. */
  needs?: 'cel'
  call: string
  args: Record<string, any>
  /** Fields of the result that later cases refer to, by the names of their values. */
  save?: Record<string, string>
  returns?: unknown
  fails?: { code: string; reason?: string; fields?: string[] }
}

export type World = {
  users: { name: string; id: string; email: string; externalId?: string; isActive?: boolean }[]
  workspaces: { name: string; id: string }[]
  members: {
    workspaceId: string
    userId: string
    role: Role
    guest?: boolean
    /** The user has left the workspace, after everything else was created. */
    state?: 'left'
  }[]
  groups: { name: string; id: string; workspaceId: string; members: string[]; groups?: string[] }[]
  actions: string[]
  roles: {
    name: string
    workspaceId: string
    actions: string[]
    members: string[]
    groups?: string[]
  }[]
  resources: (ResourceName & {
    workspaceId: string
    ownerId: string
    visibility?: 'private' | 'workspace' | 'public'
    parent?: ResourceName
    inherits?: boolean
    attributes?: Record<string, unknown>
    displayName?: string
  })[]
  resourceTypes: ({ type: string } & TypeDeclaration)[]
  shares: ({
    resource: ResourceName
    userId?: string
    groupId?: string
    condition?: Condition
  } & ({ permission: 'view' | 'edit' } | { role: string }))[]
  /** A list that is absent stands for all. */
  delegations: {
    name: string
    id: string
    userId: string
    workspaceId: string
    agent: { type: 'service_account' | 'client'; id: string; name: string }
    /** Of another service, if it is not the key's. */
    serviceName?: string
    actions?: string[]
    resourceTypes?: string[]
    resources?: ResourceName[]
    state?: 'expired' | 'ended'
  }[]
  tokens: {
    name: string
    userId: string
    workspaceId: string
    state?: TokenState
    /** The API that the token is limited to, and its scopes there. */
    resource?: string
    scopes?: string[]
    /** The delegation by which an agent has the token. */
    delegation?: string
  }[]
}

/** `forged`: the signature is not that of the token. */
type TokenState = 'expired' | 'revoked' | 'forged'

type ResourceName = { type: string; id: string }

/** The values of strings that begin with `$`: IDs and access tokens. */
export type Values = Record<string, string>

/** Reads the cases, and replaces the names of users, workspaces, groups and delegations with their IDs. */
export function readClientCases(): ClientCases & { values: Values } {
  const path = join(import.meta.dirname, '../../clients/cases.json')
  const table: ClientCases = JSON.parse(readFileSync(path, 'utf8'))
  const { users, workspaces, groups, delegations } = table.world
  const named = [...users, ...workspaces, ...groups, ...delegations]
  const values = Object.fromEntries(named.map(({ name, id }) => [name, id]))
  return { ...table, world: substitute(table.world, values), values }
}

/** Replaces each string `$name` with its value. Strings without a value are unchanged. */
export function substitute<Part>(part: Part, values: Values): Part {
  if (typeof part === 'string')
    return (part.startsWith('$') ? (values[part.slice(1)] ?? part) : part) as Part
  if (Array.isArray(part)) return part.map((item) => substitute(item, values)) as Part
  if (typeof part !== 'object' || part === null) return part
  const entries = Object.entries(part).map(([key, value]) => [key, substitute(value, values)])
  return Object.fromEntries(entries) as Part
}

/** Replaces the signature of a token. */
export function forge(token: string): string {
  const [header, claims] = token.split('.')
  return `${header}.${claims}.${claims}`
}

/** Creates the world of the cases on a server. Returns the service key and all values. */
export async function seedClientCases(
  { app, pool, seed, token, transports }: TestEnvironment,
  { service, world, values }: ReturnType<typeof readClientCases>,
): Promise<{ serviceKey: string; values: Values }> {
  const insert = (sql: string, ...parameters: unknown[]) => pool.query(sql, parameters)
  for (const { name, id, email, externalId } of world.users)
    await insert(
      'insert into users (id, name, email, external_id) values ($1, $2, $3, $4)',
      id,
      name,
      email,
      externalId,
    )
  for (const { name, id } of world.workspaces)
    await insert('insert into workspaces (id, name, slug) values ($1, $2, $2)', id, name)
  for (const { workspaceId, userId, role, guest = false } of world.members) {
    await seed.member(workspaceId, userId, role)
    if (guest)
      await insert(
        'update members set is_guest = true where workspace_id = $1 and user_id = $2',
        workspaceId,
        userId,
      )
  }
  for (const { name, id, workspaceId } of world.groups)
    await insert(
      'insert into groups (id, workspace_id, name) values ($1, $2, $3)',
      id,
      workspaceId,
      name,
    )
  const { key } = await seed.serviceApp(service)
  const [transport] = transports as [Transport]
  const call = async (method: string, message: object, userToken?: string) =>
    expectOk(await transport.call(method, message, { key, ...(userToken && { token: userToken }) }))

  const tokens: Values = {}
  const actors = new Map(
    world.delegations.map(({ id, agent: { id: sub, type: typ } }) => [id, { sub, typ }]),
  )
  for (const row of world.tokens) {
    const { name, userId, workspaceId, state, resource, scopes = [], delegation } = row
    if (delegation !== undefined) {
      const claims = { sub: userId, jti: randomUUID(), wid: workspaceId, delegation_id: delegation }
      const act = actors.get(delegation)
      if (!act) throw new Error(`${name}: no delegation ${delegation}`)
      tokens[name] = await app.tokens.signDelegated(
        { ...claims, act },
        resource,
        86_400,
        new Date(),
      )
      continue
    }
    const jti = randomUUID()
    tokens[name] = await token(userId, workspaceId, {
      jti,
      seconds: state === 'expired' ? -60 : 86_400,
      ...(resource !== undefined && { resource: { uri: resource, scopes } }),
    })
    if (state === 'revoked') await seed.denyToken(jti)
    if (state === 'forged') tokens[name] = forge(tokens[name])
  }
  const ownerTokens = new Map<string, string>()
  for (const { workspaceId, userId, role } of world.members)
    if (role === 'owner') ownerTokens.set(workspaceId, await token(userId, workspaceId))
  const ownerToken = (workspaceId: string) => ownerTokens.get(workspaceId) as string

  for (const { id, workspaceId, members, groups = [] } of world.groups) {
    const group = { workspace_id: workspaceId, group_id: id }
    for (const user_id of members)
      await call('AddGroupMember', { ...group, user_id }, ownerToken(workspaceId))
    for (const child_id of groups)
      await call('AddChildGroup', { ...group, child_id }, ownerToken(workspaceId))
  }
  const actionIds: Values = {}
  for (const name of world.actions) actionIds[name] = await seed.serviceAction(service, name)
  for (const { workspaceId, actions, members, groups = [] } of world.roles) {
    const ids = actions.map((name) => actionIds[name] as string)
    const role = await seed.customRole(workspaceId, ids, members)
    for (const group of groups)
      await insert(
        'insert into custom_role_groups (role_id, group_id, workspace_id) values ($1, $2, $3)',
        role,
        group,
        workspaceId,
      )
  }

  for (const { type, allowPublic: allow_public, ...declaration } of world.resourceTypes)
    await call('PutResourceType', {
      service_name: service,
      resource_type: type,
      allow_public,
      roles: [],
      conditions: [],
      requirements: [],
      ...declaration,
    })

  const keyOf = ({ type, id }: ResourceName) => {
    const resource_id = toResourceId(service, type, id)
    return { service_name: service, resource_type: type, resource_id }
  }
  const permissionIds = new Map<string, string>()
  for (const { workspaceId, ownerId, parent, inherits = true, ...resource } of world.resources) {
    const { service_name, ...name } = keyOf(resource)
    const isExternal = name.resource_id !== resource.id
    const parentName = parent && keyOf(parent)
    const { id } = await call('Register', {
      service_name,
      ...name,
      ...(isExternal && { external_id: resource.id }),
      workspace_id: workspaceId,
      owner_id: ownerId,
      ...(resource.visibility && { visibility: resource.visibility }),
      ...(resource.attributes && { attributes: resource.attributes }),
      ...(resource.displayName && { display_name: resource.displayName }),
      ...(parentName && {
        parent: { resource_type: parentName.resource_type, resource_id: parentName.resource_id },
      }),
    })
    permissionIds.set(name.resource_id, id)
    if (!inherits) await call('UpdateParent', { service_name, ...name, inherits })
  }
  for (const { resource, userId, groupId, ...grant } of world.shares) {
    const { workspaceId = '' } =
      world.resources.find(({ type, id }) => type === resource.type && id === resource.id) ?? {}
    const grantee = userId
      ? { grantee_type: 'user', grantee_id: userId }
      : { grantee_type: 'group', grantee_id: groupId }
    await call('Share', { ...keyOf(resource), ...grantee, ...grant }, ownerToken(workspaceId))
  }
  for (const { id, agent, resources, state, ...terms } of world.delegations) {
    const ids = resources?.map((name) => permissionIds.get(keyOf(name).resource_id) as string)
    await insertDelegation(pool, {
      id,
      agent_type: agent.type,
      agent_id: agent.id,
      agent_name: agent.name,
      user_id: terms.userId,
      workspace_id: terms.workspaceId,
      service_name: terms.serviceName ?? service,
      actions: terms.actions,
      resource_types: terms.resourceTypes,
      resources: ids,
      ...(state === 'expired' && { expires_at: new Date(Date.now() - 60_000) }),
      ...(state === 'ended' && { ended_at: new Date() }),
    })
  }
  // What ends by itself ends the delegations that depend on it.
  for (const { id, isActive = true } of world.users)
    if (!isActive) await insert('update users set is_active = false where id = $1', id)
  for (const { workspaceId, userId, state } of world.members)
    if (state === 'left')
      await insert(
        'delete from members where workspace_id = $1 and user_id = $2',
        workspaceId,
        userId,
      )
  return { serviceKey: key, values: { ...values, ...tokens } }
}
