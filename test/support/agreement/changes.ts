import { randomUUID } from 'node:crypto'
import type { Outcome } from '../transports.ts'
import { worldConditions } from '../world-conditions.ts'
import {
  addWorkspace,
  issueApiKey,
  issueToken,
  kindOf,
  resourceTypes,
  type Scene,
} from './scene.ts'

/**
 * A change of what decides, and what to undo after all nodes have been asked. Returns the code of
 * the response, or undefined if the world has nothing to change.
 */
export type Change = {
  make(scene: Scene): Promise<string | undefined>
  undo?(scene: Scene): Promise<unknown>
}

const codeOf = (outcome: Outcome) => (outcome.ok ? 'ok' : outcome.code)

/** Returns functions that send requests to any node over any transport. */
export function callers({ nodes, random, key, people, admin }: Scene) {
  const transport = () => {
    const { grpc, rest } = random.pick(nodes)
    return random.chance(0.5) ? grpc : rest
  }
  return {
    byService: (method: string, message: object) => transport().call(method, message, { key }),
    byOwner: (method: string, message: object) =>
      transport().call(method, message, { key, token: people.owner.token }),
    byAdmin: (method: string, message: object) => admin.call(transport(), method, message),
  }
}

/** Names a resource by its UUID or its natural key. */
export function nameResource(scene: Scene): object {
  const name = scene.random.pick(scene.resources)
  const id = isUuid(name) ? { resource_id: name } : { external_id: name }
  return { ...kindOf(scene, name), ...id }
}

/** Names a resource of any type, below which others may be. */
function anyParent(scene: Scene): object {
  const resource_id = scene.random.pick(scene.resources.filter(isUuid))
  return { ...kindOf(scene, resource_id), resource_id }
}

export const isUuid = (text: string) => /^[0-9a-f]{8}-/i.test(text)

const conditions = [
  undefined,
  undefined,
  { name: 'small', params: { max: 5 } },
  { name: 'labelled', params: { label: 'green' } },
  { name: 'ranked', params: {} },
  { name: 'insider', params: {} },
  { name: 'own', params: {} },
]

function anyGrant({ random }: Scene): object {
  const condition = random.pick(conditions)
  const granted = random.pick([
    { permission: 'view' },
    { permission: 'edit' },
    { role: 'reader' },
    { role: 'manager' },
  ])
  return { ...granted, ...(condition && { condition }) }
}

function anyGrantee({ random, members, groups }: Scene): object {
  const { id, email, externalId } = random.pick(members)
  return random.pick([
    { grantee_type: 'user', grantee_id: id },
    { grantee_type: 'user', grantee_id: id.toUpperCase() },
    { grantee_type: 'user', grantee_email: email },
    { grantee_type: 'user', grantee_external_id: externalId },
    { grantee_type: 'group', grantee_id: random.pick(groups) },
  ])
}

const byService =
  (method: string, fields: (scene: Scene) => object): Change['make'] =>
  async (scene) =>
    codeOf(await callers(scene).byService(method, { ...nameResource(scene), ...fields(scene) }))

const byAdmin =
  (method: string, fields: (scene: Scene) => object): Change['make'] =>
  async (scene) =>
    codeOf(await callers(scene).byAdmin(method, fields(scene)))

/** A member whose role or membership may change: not the owner, who makes changes. */
const anyMember = ({ random, members, people }: Scene) =>
  random.pick(members.filter(({ id }) => id !== people.owner.id && id !== people.admin.id))

const declaration = ({ random, kind }: Scene) => ({
  ...kind,
  resource_type: random.pick(resourceTypes),
  allow_public: true,
  conditions: worldConditions,
  roles: [
    { name: 'reader', actions: random.pick([['view'], ['view', 'publish'], ['edit']]) },
    { name: 'manager', actions: random.pick([['manage'], ['view']]) },
  ],
  requirements: random.pick([
    [],
    [],
    [{ action: 'edit', condition: 'tolerant' }],
    [{ action: 'view', condition: 'ranked' }],
    [{ action: 'view', condition: 'unblocked', inherited: true }],
    [{ action: 'edit', condition: 'unblocked', inherited: true }],
    [{ action: 'view', condition: 'insider' }],
    [
      { action: 'view', condition: 'insider', inherited: true },
      { action: 'view', condition: 'unblocked', inherited: true },
    ],
    [
      { action: 'edit', condition: 'tolerant', inherited: true },
      { action: 'publish', condition: 'unblocked', inherited: true },
    ],
  ]),
})

const documentRoute = {
  methods: [],
  path: '/documents/{id}',
  action: 'view',
  resource_type: 'document',
}

const setActive = (is_active: boolean) =>
  byAdmin('UpdateServiceApp', ({ appId }) => ({ service_app_id: appId, is_active, force: true }))

/** Every kind of change through the API, by name. A new feature adds a row. */
export const apiChanges: Record<string, Change> = {
  share: {
    make: async (scene) => {
      const message = { ...nameResource(scene), ...anyGrantee(scene), ...anyGrant(scene) }
      return codeOf(await callers(scene).byOwner('Share', message))
    },
  },
  'share in a batch': {
    make: async (scene) => {
      const item = { ...nameResource(scene), ...anyGrantee(scene), ...anyGrant(scene) }
      const other = { ...nameResource(scene), ...anyGrantee(scene), permission: 'view' }
      return codeOf(await callers(scene).byOwner('ShareBatch', { shares: [item, other] }))
    },
  },
  'share by an administrator': {
    make: async (scene) => {
      const found = await scene.pool.query('select id from resources order by random() limit 1')
      const message = { permission_id: found.rows[0]?.id, ...anyGrantee(scene), permission: 'view' }
      return codeOf(await callers(scene).byAdmin('Share', message))
    },
  },
  'share that ends': {
    make: async (scene) => {
      const expires_at = new Date(Date.now() + 500).toISOString()
      const message = { ...nameResource(scene), ...anyGrantee(scene), permission: 'edit' }
      return codeOf(await callers(scene).byOwner('Share', { ...message, expires_at }))
    },
  },
  'revoke a share': {
    make: async (scene) => {
      const { rows } = await scene.pool.query(
        `select r.id, s.user_id, s.group_id from shares s
         join resources r using (kind_id, resource_id)`,
      )
      if (rows.length === 0) return undefined
      const { id, user_id, group_id } = scene.random.pick(rows)
      const grantee_type = user_id ? 'user' : 'group'
      const grantee = { grantee_type, grantee_id: user_id ?? group_id }
      const message = { permission_id: id, ...grantee, permission: 'view' }
      return codeOf(await callers(scene).byService('RevokeShare', message))
    },
  },
  'create a link': {
    make: async (scene) => {
      const { permission = 'view', condition } = anyGrant(scene) as Record<string, any>
      const message = { ...nameResource(scene), permission, condition }
      const outcome = await callers(scene).byOwner('CreateLink', message)
      if (outcome.ok) scene.secrets.links.set(outcome.message.token, outcome.message.id)
      return codeOf(outcome)
    },
  },
  'delete a link': {
    make: async (scene) => {
      const { rows } = await scene.pool.query(
        'select l.id, r.id as resource from resource_links l join resources r using (kind_id, resource_id)',
      )
      if (rows.length === 0) return undefined
      const { id, resource } = scene.random.pick(rows)
      const message = { permission_id: resource, link_id: id }
      return codeOf(await callers(scene).byOwner('DeleteLink', message))
    },
  },
  visibility: {
    make: byService('UpdateVisibility', ({ random }) => ({
      visibility: random.pick(['private', 'workspace', 'public']),
    })),
  },
  attributes: {
    make: byService('UpdateAttributes', ({ random, members }) => ({
      attributes: {
        label: random.pick(['green', 'red', null]),
        blocked: random.pick([null, [random.pick(members).id]]),
      },
    })),
  },
  owner: {
    make: byService('TransferOwnership', ({ random, members }) => ({
      owner_id: random.pick(members).id,
    })),
  },
  move: {
    make: byService('UpdateParent', (scene) => ({ parent: anyParent(scene) })),
  },
  detach: { make: byService('UpdateParent', () => ({ detach: true })) },
  inheritance: {
    make: byService('UpdateParent', ({ random }) => ({ inherits: random.chance(0.5) })),
  },
  register: {
    make: async (scene) => {
      const { workspace, random, members, resources, types } = scene
      // Also one that was unregistered.
      const resource_id = random.chance(0.5) ? randomUUID() : random.pick(resources.filter(isUuid))
      const owner_id = random.pick(members).id
      if (!resources.includes(resource_id)) types.set(resource_id, random.pick(resourceTypes))
      const kind = kindOf(scene, resource_id)
      const facts = { ...kind, resource_id, workspace_id: workspace, owner_id }
      const parent = random.chance(0.5) && { parent: anyParent(scene) }
      const outcome = await callers(scene).byService('Register', { ...facts, ...parent })
      if (outcome.ok && !resources.includes(resource_id)) resources.push(resource_id)
      return codeOf(outcome)
    },
  },
  unregister: { make: byService('Unregister', ({ random }) => ({ cascade: random.chance(0.5) })) },
  'declare the type anew': {
    make: async (scene) =>
      codeOf(await callers(scene).byService('PutResourceType', declaration(scene))),
  },
  'routes of the gateway': {
    make: async (scene) => {
      const routes = scene.random.chance(0.5) ? [documentRoute] : []
      const message = { service_name: scene.service, routes }
      return codeOf(await callers(scene).byService('PutRoutes', message))
    },
  },
  'role of a member': {
    make: byAdmin('UpdateMember', (scene) => ({
      workspace_id: scene.workspace,
      user_id: anyMember(scene).id,
      role: scene.random.pick(['admin', 'editor', 'viewer']),
    })),
  },
  guest: {
    make: byAdmin('UpdateMember', (scene) => ({
      workspace_id: scene.workspace,
      user_id: anyMember(scene).id,
      guest: scene.random.chance(0.7),
    })),
  },
  'membership that ends': {
    make: byAdmin('UpdateMember', (scene) => ({
      workspace_id: scene.workspace,
      user_id: anyMember(scene).id,
      expires_at: new Date(Date.now() + 500).toISOString(),
    })),
    undo: async ({ pool, workspace }) =>
      pool.query('update members set expires_at = null where workspace_id = $1', [workspace]),
  },
  'remove a member': {
    make: byAdmin('RemoveMember', (scene) => ({
      workspace_id: scene.workspace,
      user_id: anyMember(scene).id,
    })),
  },
  'add a member': {
    make: byAdmin('AddUserToWorkspace', (scene) => ({
      workspace_id: scene.workspace,
      user_id: anyMember(scene).id,
      role: scene.random.pick(['editor', 'viewer']),
    })),
  },
  'import of members': {
    make: async (scene) => {
      const { random, workspace } = scene
      const rows = [anyMember(scene), anyMember(scene)].map(
        ({ email }) => `${email},,w-${workspace},${random.pick(['editor', 'viewer', 'admin'])},\n`,
      )
      const csv = `email,name,workspace_slug,role,groups\n${[...new Set(rows)].join('')}`
      return codeOf(await callers(scene).byAdmin('ExecuteCsvImport', { csv }))
    },
  },
  deactivate: {
    make: byAdmin('UpdateUser', (scene) => ({ user_id: anyMember(scene).id, is_active: false })),
    undo: ({ pool }) => pool.query('update users set is_active = true where not is_active'),
  },
  'external ID of a user': {
    make: async (scene) => {
      const person = anyMember(scene)
      const external_id = `staff-${randomUUID().slice(0, 8)}`
      const message = { user_id: person.id, external_id }
      const outcome = await callers(scene).byAdmin('UpdateUser', message)
      if (outcome.ok) person.externalId = external_id
      return codeOf(outcome)
    },
  },
  'erase a user': {
    make: async (scene) => {
      const { seed, members, workspace, people } = scene
      if (members.length < 6) return undefined
      const person = members.at(-1) as Scene['members'][number]
      const message = { user_id: person.id, transfer_to: people.owner.id }
      const outcome = await callers(scene).byAdmin('DeleteUser', message)
      if (!outcome.ok) return codeOf(outcome)
      const id = await seed.newMember(workspace, 'viewer')
      const { rows } = await scene.pool.query('select email from users where id = $1', [id])
      members.splice(-1, 1, { id, email: rows[0].email, externalId: 'nobody' })
      await issueToken(scene, id, workspace)
      return 'ok'
    },
  },
  'join a group': {
    make: byAdmin('AddGroupMember', (scene) => ({
      group_id: scene.random.pick(scene.groups),
      user_id: scene.random.pick(scene.members).id,
    })),
  },
  'leave a group': {
    make: byAdmin('RemoveGroupMember', (scene) => ({
      group_id: scene.random.pick(scene.groups),
      user_id: scene.random.pick(scene.members).id,
    })),
  },
  'nest a group': {
    make: byAdmin('AddChildGroup', ({ random, groups }) => ({
      group_id: random.pick(groups),
      child_id: random.pick(groups),
    })),
  },
  'take a group out': {
    make: byAdmin('RemoveChildGroup', ({ random, groups }) => ({
      group_id: random.pick(groups),
      child_id: random.pick(groups),
    })),
  },
  'delete a group': {
    make: async (scene) => {
      const index = scene.random.below(scene.groups.length)
      const message = { group_id: scene.groups[index] }
      const outcome = await callers(scene).byAdmin('DeleteGroup', message)
      if (outcome.ok) scene.groups[index] = await scene.seed.group(scene.workspace)
      return codeOf(outcome)
    },
  },
  'give a custom role': {
    make: byAdmin('AddRoleMember', (scene) => ({
      role_id: scene.random.pick(scene.roles),
      user_id: scene.random.pick(scene.members).id,
    })),
  },
  'take a custom role': {
    make: byAdmin('RemoveRoleMember', (scene) => ({
      role_id: scene.random.pick(scene.roles),
      user_id: scene.random.pick(scene.members).id,
    })),
  },
  'give a group a custom role': {
    make: byAdmin('AddRoleGroup', ({ random, roles, groups }) => ({
      role_id: random.pick(roles),
      group_id: random.pick(groups),
    })),
  },
  'take a custom role from a group': {
    make: byAdmin('RemoveRoleGroup', ({ random, roles, groups }) => ({
      role_id: random.pick(roles),
      group_id: random.pick(groups),
    })),
  },
  'add an action to a custom role': {
    make: byAdmin('AddRoleActions', ({ random, roles, actions }) => ({
      role_id: random.pick(roles),
      service_action_ids: [actions.publish],
    })),
  },
  'remove an action from a custom role': {
    make: byAdmin('RemoveRoleAction', ({ random, roles, actions }) => ({
      role_id: random.pick(roles),
      service_action_id: actions.publish,
    })),
  },
  'provision by SCIM': {
    make: async ({ scim, members }) => {
      const name = `p${randomUUID().slice(0, 8)}`
      const body = await scim.provision(name, { externalId: name })
      members.unshift({ id: body.id, email: `${name}@${scim.domain}`, externalId: 'nobody' })
      return 'ok'
    },
  },
  'activation by SCIM': {
    make: async ({ scim, pool, random }) => {
      const { rows } = await pool.query('select user_id from scim_users')
      if (rows.length === 0) return undefined
      const value = random.chance(0.5)
      const path = `/Users/${random.pick(rows).user_id}`
      const { status } = await scim.patch(path, { op: 'replace', path: 'active', value })
      return status < 300 ? 'ok' : String(status)
    },
  },
  'group by SCIM': {
    make: async ({ scim, pool, random, groups }) => {
      const { rows } = await pool.query('select user_id from scim_users')
      if (rows.length === 0) return undefined
      const { status, body } = await scim.send('POST', '/Groups', {
        schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
        displayName: `team ${randomUUID()}`,
        members: [{ value: random.pick(rows).user_id }],
      })
      if (status === 201) groups[random.below(groups.length)] = body.id
      return status < 300 ? 'ok' : String(status)
    },
  },
  'service account': {
    make: async (scene) => {
      const { workspace, serviceAccount, random } = scene
      const message = { workspace_id: workspace, service_account_id: serviceAccount }
      const changed = random.pick<object>([
        { role: 'editor' },
        { role: 'viewer' },
        { is_active: false },
        { is_active: true },
      ])
      return codeOf(
        await callers(scene).byOwner('UpdateServiceAccount', { ...message, ...changed }),
      )
    },
  },
  'API key': {
    make: async (scene) => {
      const [key_id] = [...scene.secrets.apiKeys.values()].slice(-1)
      const account = { workspace_id: scene.workspace, service_account_id: scene.serviceAccount }
      const outcome = await callers(scene).byOwner('DeleteKey', { ...account, key_id })
      await issueApiKey(scene)
      return codeOf(outcome)
    },
  },
  'end a delegation': {
    make: async (scene) => {
      const delegation_id = scene.random.pick(scene.delegations.slice(-8))
      const message = { workspace_id: scene.workspace, delegation_id }
      return codeOf(await callers(scene).byOwner('DeleteWorkspaceDelegation', message))
    },
  },
  'sign-out': {
    make: async (scene) => {
      const { secrets, random } = scene
      const token = random.pick([...secrets.tokens.keys()])
      const outcome = await random.pick(scene.nodes).grpc.call('Logout', {}, { token })
      const { userId, workspaceId } = secrets.tokens.get(token) ?? {}
      if (userId && workspaceId) await issueToken(scene, userId, workspaceId)
      return codeOf(outcome)
    },
  },
  'rotate the service key': {
    make: async (scene) => {
      const message = { service_app_id: scene.appId, overlap_seconds: scene.random.pick([0, 1]) }
      const outcome = await callers(scene).byAdmin('RotateServiceApp', message)
      if (outcome.ok) {
        scene.key = outcome.message.key
        scene.keys.push(scene.key)
      }
      return codeOf(outcome)
    },
  },
  'deactivate the service app': {
    make: setActive(false),
    undo: setActive(true),
  },
  'delete a workspace': {
    make: async (scene) => {
      const workspace_id = scene.others.at(-1)
      const outcome = await callers(scene).byAdmin('DeleteWorkspace', { workspace_id })
      return codeOf(outcome)
    },
    undo: addWorkspace,
  },
  clock: {
    make: async (scene) => setClock(scene, 2 * 3_600_000),
    undo: async (scene) => setClock(scene, 0),
  },
}

function setClock(scene: Scene, ahead: number): string {
  scene.clockAhead = ahead
  scene.environment.clock.now = ahead ? new Date(Date.now() + ahead) : undefined
  return 'ok'
}
