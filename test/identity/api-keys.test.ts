import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createApiKey, isApiKey } from '../../src/identity/api-keys.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({ MAX_FACTS_CACHE_BYTES: 10_000_000 })
const other = await environment.addNode()
const { pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

async function createFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { people, kind, key: serviceKey } = fixture
  const workspace_id = fixture.workspace
  const otherTransport = other.transports.find(({ name }) => name === transport.name) ?? transport
  const manage = (method: string, message: object = {}) =>
    transport.call(method, { workspace_id, ...message }, { token: people.admin.token })
  const account = { name: 'Robot', role: 'editor' }
  const { id } = expectOk(await manage('CreateServiceAccount', account))
  const target = { service_account_id: id as string }
  const createKey = async (more: object = {}) =>
    expectOk(await manage('CreateKey', { ...target, name: 'Key', ...more }))
  const document = await fixture.register(people.owner, { visibility: 'workspace' })
  const checks = [{ ...kind, resource_id: document.resource_id, action: 'edit' }]
  return {
    ...fixture,
    id: id as string,
    target,
    manage,
    createKey,
    document,
    /** The outcomes of a check with the key on both nodes. */
    check: (key: string) =>
      Promise.all(
        [transport, otherTransport].map((on) =>
          on.call('Check', { checks }, { token: key, key: serviceKey }),
        ),
      ),
  }
}

type Fixture = Awaited<ReturnType<typeof createFixture>>

/** Ways in which a key ends. */
const ends: Record<string, (fixture: Fixture, keyId: string) => Promise<unknown>> = {
  'is deleted': async ({ manage, target }, key_id) =>
    expectOk(await manage('DeleteKey', { ...target, key_id })),
  'belongs to an account that is deactivated': async ({ manage, target }) =>
    expectOk(await manage('UpdateServiceAccount', { ...target, is_active: false })),
  'belongs to an account that is deleted': async ({ manage, target }) =>
    expectOk(await manage('DeleteServiceAccount', target)),
  'belongs to an account that has ended': async ({ id }) =>
    pool.query("update members set expires_at = now() - interval '1 s' where user_id = $1", [id]),
  'belongs to a workspace that is deleted': async ({ people, workspace }) =>
    expectOk(
      await admin.call(environment.transports[0] as Transport, 'DeleteWorkspace', {
        workspace_id: workspace,
        by: people.owner.id,
      }),
    ),
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a key is shown once and only its hash is stored ${over}`, async (t) => {
    const { createKey, manage, target } = await createFixture(transport)
    const { key, ...created } = await createKey({ name: ' CI ' })
    t.true(isApiKey(key))
    t.like(created, { ...target, name: 'CI', prefix: key.slice(0, 10) })
    const { keys } = expectOk(await manage('ListApiKeys', target))
    t.is(keys.length, 1)
    t.like(keys[0], { id: created.id, name: 'CI', prefix: created.prefix })
    t.falsy(keys[0].key)
    const { rows } = await pool.query(
      `select to_jsonb(k)::text || (select coalesce(jsonb_agg(a), '[]')::text from activity a
         where target_id = k.id) as text
       from api_keys k where id = $1`,
      [created.id],
    )
    t.false(rows[0].text.includes(key))
  })

  test(`the activity log names the account and the key ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    expectOk(await fixture.manage('UpdateServiceAccount', { ...fixture.target, role: 'admin' }))
    const { key } = await fixture.createKey()
    const change = { permission_id: fixture.document.id, visibility: 'private' }
    const as = { token: key, key: fixture.key }
    expectOk(await transport.call('UpdateVisibility', change, as))
    const query = { target_id: fixture.document.id, action: 'permission.visibility_changed' }
    const { items } = expectOk(await admin.call(transport, 'ListActivity', query))
    t.like(items[0], {
      actor_id: fixture.id,
      actor_type: 'service_account',
      api_key_prefix: key.slice(0, 10),
    })
  })

  test(`a key decides as its account does, on every node ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { key } = await fixture.createKey()
    for (const outcome of await fixture.check(key)) {
      t.true(expectOk(outcome).results[0].allowed)
    }
    const own = { token: key, key: fixture.key }
    const list = { ...fixture.kind, action: 'view', workspace_id: fixture.workspace }
    t.deepEqual(expectOk(await transport.call('Accessible', list, own)).resource_ids, [
      fixture.document.resource_id,
    ])
    const me = expectOk(await transport.call('GetMe', {}, { token: key }))
    t.like(me, { id: fixture.id, email: '', name: 'Robot' })
    const checks = [{ ...fixture.kind, resource_id: fixture.document.resource_id, action: 'view' }]
    const mine = await transport.call('CheckMyPermissions', { checks }, { token: key })
    t.true(expectOk(mine).results[0].allowed)
    const mayNotShare = {
      permission_id: fixture.document.id,
      grantee_type: 'user',
      grantee_id: fixture.people.viewer.id,
      permission: 'view',
    }
    t.is(expectError(await transport.call('Share', mayNotShare, own)).code, 'permission_denied')

    // Facts are live.
    const viewer = { ...fixture.target, role: 'viewer' }
    expectOk(await fixture.manage('UpdateServiceAccount', viewer))
    for (const outcome of await fixture.check(key)) {
      t.false(expectOk(outcome).results[0].allowed)
    }
  })

  test(`methods for people reject a valid key with 403 and an invalid one with 401 ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const admin = { ...fixture.target, role: 'admin' }
    expectOk(await fixture.manage('UpdateServiceAccount', admin))
    const { key } = await fixture.createKey()
    const workspace = { workspace_id: fixture.workspace }
    for (const [method, message] of [
      ['CreateWorkspace', { name: 'x', slug: `s-${randomUUID()}` }],
      ['InviteMember', { ...workspace, email: 'a@example.com', role: 'viewer' }],
      ['ListMembers', workspace],
      ['ListSessions', {}],
      ['UpdateMe', { name: 'x' }],
      ['CreateKey', { ...workspace, ...fixture.target, name: 'Another' }],
      ['CreateServiceAccount', { ...workspace, name: 'Another', role: 'admin' }],
      ['RoleService/CreateRole', { ...workspace, name: 'Mine' }],
      // Before the fields are judged.
      ['InviteMember', { ...workspace, email: 'no address', role: 'king' }],
    ] as const) {
      const { code, reason } = expectError(await transport.call(method, message, { token: key }))
      t.deepEqual([code, reason], ['permission_denied', 'API_KEY_NOT_ACCEPTED'], method)
      const unknown = await transport.call(method, message, { token: createApiKey() })
      t.is(expectError(unknown).reason, 'API_KEY_INVALID', method)
    }
    const wrongChecksum = `${key.slice(0, -1)}${key.endsWith('A') ? 'B' : 'A'}`
    const outcome = await transport.call('GetMe', {}, { token: wrongChecksum })
    t.like(expectError(outcome), { code: 'unauthenticated', reason: 'API_KEY_INVALID' })
  })

  for (const [title, end] of Object.entries(ends)) {
    test(`a key that ${title} is rejected with 401 on every node ${over}`, async (t) => {
      const fixture = await createFixture(transport)
      const created = await fixture.createKey()
      for (const outcome of await fixture.check(created.key)) expectOk(outcome)
      await end(fixture, created.id)
      for (const outcome of await fixture.check(created.key)) {
        t.is(expectError(outcome).code, 'unauthenticated')
      }
      const subject = { type: 'api_key', id: created.key }
      const resource = { type: fixture.kind.resource_type, id: fixture.document.resource_id }
      const message = { subject, action: { name: 'view' }, resource }
      const evaluated = await transport.call('Evaluate', message, { key: fixture.key })
      t.false(expectOk(evaluated).decision)
    })
  }

  test(`keys stay ended after a reactivation and a later end ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const change = async (more: object) =>
      expectOk(await fixture.manage('UpdateServiceAccount', { ...fixture.target, ...more }))
    const { key: first } = await fixture.createKey()
    for (const outcome of await fixture.check(first)) expectOk(outcome)
    await change({ is_active: false })
    const refused = await fixture.manage('CreateKey', { ...fixture.target, name: 'Key' })
    t.is(expectError(refused).reason, 'SERVICE_ACCOUNT_INACTIVE')
    await change({ is_active: true })
    for (const outcome of await fixture.check(first)) {
      t.is(expectError(outcome).code, 'unauthenticated')
    }
    const { key: second } = await fixture.createKey()
    for (const outcome of await fixture.check(second)) expectOk(outcome)
    await ends['belongs to an account that has ended']?.(fixture, '')
    await change({ expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    for (const outcome of await fixture.check(second)) {
      t.is(expectError(outcome).code, 'unauthenticated')
    }
  })

  test(`an expired key is rejected; at most 10 keys exist, for at most 2 years ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { id, key } = await fixture.createKey()
    await pool.query("update api_keys set expires_at = now() - interval '1 s' where id = $1", [id])
    for (const outcome of await fixture.check(key)) {
      t.is(expectError(outcome).code, 'unauthenticated')
    }
    const threeYears = new Date(Date.now() + 3 * 365 * 86_400_000).toISOString()
    const tooLong = { ...fixture.target, name: 'Key', expires_at: threeYears }
    t.is(expectError(await fixture.manage('CreateKey', tooLong)).violations[0]?.field, 'expires_at')
    for (let count = 1; count < 10; count += 1) await fixture.createKey()
    const eleventh = await fixture.manage('CreateKey', { ...fixture.target, name: 'Key' })
    t.is(expectError(eleventh).reason, 'TOO_MANY_API_KEYS')
  })

  test(`backends decide about a key and introspect it ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { id, key } = await fixture.createKey()
    const evaluate = async (subject: object) => {
      const resource = { type: fixture.kind.resource_type, id: fixture.document.resource_id }
      const message = { subject, action: { name: 'edit' }, resource }
      return expectOk(await transport.call('Evaluate', message, { key: fixture.key })).decision
    }
    t.true(await evaluate({ type: 'api_key', id: key }))
    t.false(await evaluate({ type: 'api_key', id: createApiKey() }))
    t.false(await evaluate({ type: 'user', id: key }))
    const explain = async (resource_id: string) => {
      const resource = { type: fixture.kind.resource_type, id: resource_id }
      const subject = { type: 'api_key', id: key }
      const message = { subject, action: { name: 'edit' }, resource, context: { explain: true } }
      const { context } = expectOk(
        await transport.call('Evaluate', message, { key: fixture.key }),
      ) as { context: { reason_admin: { en: string } } }
      return context.reason_admin.en
    }
    const { service_name, resource_type } = fixture.kind
    const unknown = randomUUID()
    t.is(
      await explain(unknown),
      `Robot may not edit ${resource_type} ${unknown}: ${service_name} has not registered ${resource_type} ${unknown} in the workspace of the API key.`,
    )
    const introspect = async () =>
      expectOk(await transport.call('IntrospectToken', { token: key }, { key: fixture.key }))
    t.like(await introspect(), {
      active: true,
      sub: fixture.id,
      wid: fixture.workspace,
      wrole: 'editor',
      token_type: 'api_key',
    })
    expectOk(await fixture.manage('DeleteKey', { ...fixture.target, key_id: id }))
    t.false((await introspect()).active)
    t.false(await evaluate({ type: 'api_key', id: key }))
    const { resource_id } = fixture.document
    t.is(
      await explain(resource_id as string),
      `The service account of the API key may not edit ${resource_type} ${resource_id}: the API key is not valid.`,
    )
  })
}

test('the last use of a key is kept to the hour', async (t) => {
  const [transport] = environment.transports as [Transport]
  const fixture = await createFixture(transport)
  const { key } = await fixture.createKey()
  for (const outcome of await fixture.check(key)) expectOk(outcome)
  await environment.app.writeKeyUses()
  const { keys } = expectOk(await fixture.manage('ListApiKeys', fixture.target))
  t.regex(keys[0].last_used_at, /:00:00(\.000)?Z$/)
})

test('a key has 256 random bits and a checksum', (t) => {
  const key = createApiKey()
  t.regex(key, /^da_[\w-]{49}$/)
  t.true(isApiKey(key))
  for (let index = 3; index < key.length; index += 1) {
    const changed = key.slice(0, index) + (key[index] === 'x' ? 'y' : 'x') + key.slice(index + 1)
    t.false(isApiKey(changed), changed)
  }
})
