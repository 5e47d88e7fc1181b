import { randomBytes, randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import type { Role } from '../../src/core/roles.ts'
import { createSecretBox } from '../../src/core/secret-box.ts'
import { createServiceKey, hashServiceKey } from '../../src/identity/service-keys.ts'

/** The key that encrypts secrets in tests. */
export const testEncryptionKey = Buffer.alloc(32, 7)

/** Functions that insert rows directly into the database. */
export type Seed = ReturnType<typeof createSeed>

/** Creates the seed functions. Unless noted otherwise, each returns the ID of the new row. */
export function createSeed(pool: Pool) {
  async function insert(table: string, row: Record<string, unknown>): Promise<string> {
    const columns = Object.keys(row)
    const placeholders = columns.map((_, index) => `$${index + 1}`)
    await pool.query(
      `insert into ${table} (${columns.join(', ')}) values (${placeholders.join(', ')})`,
      Object.values(row),
    )
    return String(row.id)
  }

  const seed = {
    user: (name = 'someone', row: Record<string, unknown> = {}) => {
      const id = randomUUID()
      return insert('users', { id, name, email: `${name}-${id}@example.com`, ...row })
    },
    workspace: (name = 'workspace') => {
      const id = randomUUID()
      return insert('workspaces', { id, name, slug: `w-${id}` })
    },
    /** Adds a member. An invitation has a `joined_at` of null. */
    member: (workspace_id: string, user_id: string, role: Role = 'viewer', row: object = {}) =>
      insert('members', { workspace_id, user_id, role, joined_at: new Date(), ...row }),
    /** Creates a user and adds them to the workspace. */
    newMember: async (workspace_id: string, role: Role = 'viewer', name: string = role) => {
      const id = await seed.user(name)
      await seed.member(workspace_id, id, role)
      return id
    },
    /** Creates a user with each role in one statement, and adds them to the workspace. Returns their IDs. */
    newMembers: async (workspace_id: string, roles: readonly Role[]) => {
      const ids = roles.map(() => randomUUID())
      await pool.query(
        `with person as (select * from unnest($2::uuid[], $3::text[]) person (id, role)), created as (
           insert into users (id, name, email)
           select id, role, role || '-' || id || '@example.com' from person
         )
         insert into members (workspace_id, user_id, role, joined_at)
         select $1, id, role, now() from person`,
        [workspace_id, ids, roles],
      )
      return ids
    },
    group: async (workspace_id: string, members: string[] = [], name = `group-${randomUUID()}`) => {
      const id = await insert('groups', { id: randomUUID(), workspace_id, name })
      for (const user_id of members)
        await insert('group_members', { group_id: id, user_id, workspace_id })
      return id
    },
    /** Adds a group without members as a child of another group. */
    childGroup: (workspace_id: string, parent_id: string, child_id: string) =>
      insert('group_parents', { parent_id, child_id, workspace_id }),
    /** Creates an active service app with a key. Returns its ID and the key. */
    serviceApp: async (service_name: string) => {
      const key = createServiceKey()
      const id = randomUUID()
      await insert('service_apps', { id, name: service_name, service_name })
      await insert('service_keys', {
        key_hash: hashServiceKey(key),
        key_prefix: key.slice(0, 10),
        app_id: id,
      })
      return { id, key }
    },
    /** Creates an API of a service app. Its scopes are described by their names. */
    apiResource: async (app_id: string, uri: string, scopes: string[]) => {
      const described = scopes.map((name) => ({ name, description: name }))
      const row = { id: randomUUID(), app_id, uri, name: uri, position: 0 }
      return insert('api_resources', { ...row, scopes: JSON.stringify(described) })
    },
    clientApp: async (uris: string[], row: Record<string, unknown> = {}) => {
      const id = await insert('client_apps', { id: randomUUID(), name: 'app', ...row })
      for (const uri of uris) await insert('client_redirect_uris', { app_id: id, uri })
      return id
    },
    webhook: (url: string, row: Record<string, unknown> = {}) => {
      const id = randomUUID()
      const secret = createSecretBox([testEncryptionKey]).encrypt(
        `whsec_${randomBytes(32).toString('base64')}`,
        `webhooks/${id}`,
      )
      const settings = { url, events: [], description: '', secret, is_active: true }
      return insert('webhooks', { id, ...settings, ...row })
    },
    /** Creates a connection without domains. */
    connection: (workspace_id: string, issuer: string, row: Record<string, unknown> = {}) => {
      const id = randomUUID()
      const box = createSecretBox([testEncryptionKey])
      return insert('connections', {
        ...{ id, workspace_id, name: 'Corp', issuer, client_id: 'daikon' },
        client_secret: box.encrypt('secret', `connections/${id}`),
        ...{ scopes: ['openid'], default_role: 'viewer', mapping: { roles: {}, groups: {} } },
        ...{ is_active: true, enforced: false, break_glass: true, ...row },
      })
    },
    /** Adds a domain that is not verified to a connection. Returns its token. */
    connectionDomain: async (connection_id: string, workspace_id: string, domain: string) => {
      const token = randomUUID()
      await insert('connection_domains', { token, connection_id, workspace_id, domain })
      return token
    },
    webhookDelivery: (webhook_id: string, row: Record<string, unknown> = {}) => {
      const content = { type: 'group.created', request_body: '{}' }
      const due = { next_attempt_at: new Date(), ...row }
      return insert('webhook_deliveries', { id: randomUUID(), webhook_id, ...content, ...due })
    },
    serviceAction: (service_name: string, name: string) =>
      insert('service_actions', { id: randomUUID(), service_name, name }),
    customRole: async (workspace_id: string, actions: string[], members: string[]) => {
      const id = randomUUID()
      await insert('custom_roles', { id, workspace_id, name: `role-${id}` })
      for (const service_action_id of actions)
        await insert('custom_role_actions', { role_id: id, service_action_id })
      for (const user_id of members)
        await insert('custom_role_members', { role_id: id, user_id, workspace_id })
      return id
    },
    denyToken: (token_id: string) =>
      insert('denied_tokens', { token_id, expires_at: new Date(Date.now() + 900_000) }),
  }
  return seed
}
