import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import { createServiceKey } from '../../src/identity/service-keys.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment, type TestEnvironment } from '../support/test-environment.ts'
import type { PresentedCredentials, Transport } from '../support/transports.ts'
import {
  createWorkspaceFixture,
  type ResourceRecord,
  type WorkspaceFixture,
} from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const development = await startTestEnvironment()
test.after.always(() => Promise.all([environment.stop(), development.stop()]))

/** A message that each method answers, in an order in which all of them do. */
function messages(fixture: WorkspaceFixture, record: ResourceRecord): Record<string, object> {
  const { kind, workspace: workspace_id, people } = fixture
  const { id: permission_id, resource_id, owner_id } = record
  const view = { ...kind, action: 'view' }
  const grantee = { grantee_type: 'user', grantee_id: people.viewer.id, permission: 'view' }
  return {
    Check: { checks: [{ ...view, resource_id }] },
    Accessible: { ...view, workspace_id },
    Share: { permission_id, ...grantee },
    Register: { ...kind, resource_id, workspace_id, owner_id },
    UpdateVisibility: { permission_id, visibility: 'workspace' },
    GetResource: { ...kind, resource_id },
    RevokeShare: { permission_id, ...grantee },
    RegisterActions: { service_name: kind.service_name, actions: [{ name: 'publish' }] },
    ListGrantedActions: { service_name: kind.service_name },
    Unregister: { permission_id },
  }
}

/** The endings of all of them, one after the other. */
async function callAll(
  transport: Transport,
  all: Record<string, object>,
  shown: PresentedCredentials,
) {
  const endings: Record<string, string> = {}
  for (const [method, message] of Object.entries(all)) {
    const ending = await transport.call(method, message, shown)
    endings[method] = ending.ok ? 'answered' : `${ending.code} ${ending.reason}`
  }
  return endings
}

const everywhere = (all: object, ending: string) =>
  Object.fromEntries(Object.keys(all).map((method) => [method, ending]))

const deactivateAll = ({ pool }: TestEnvironment) =>
  pool.query('update service_apps set is_active = false')

test('the cases below hold every method of the tiers Service and Dual', async (t) => {
  const [transport] = environment.transports as [Transport]
  const fixture = await createWorkspaceFixture(environment, transport)
  const asking = environment.app.operations.filter(({ policy }) => /service|dual/.test(policy.tier))
  t.deepEqual(
    Object.keys(messages(fixture, await fixture.register(fixture.people.owner))).toSorted(),
    asking.map(({ name }) => name.replace(/.*\//, '')).toSorted(),
  )
})

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`with an active service app no key and a wrong key are 401, a valid one is let in ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, key } = fixture
    const { token } = people.owner
    const all = messages(fixture, await fixture.register(people.owner))
    const missing = everywhere(all, 'unauthenticated SERVICE_KEY_MISSING')
    t.deepEqual(await callAll(transport, all, { token }), missing)
    const hash = createHash('sha256').update(key).digest('hex')
    const wrong = [
      createServiceKey(),
      key.slice(0, -1),
      `${key}a`,
      key.toUpperCase(),
      hash,
      `${key}, ${key}`,
    ]
    for (const wrongKey of wrong) {
      const invalid = everywhere(all, 'unauthenticated SERVICE_KEY_INVALID')
      t.deepEqual(await callAll(transport, all, { token, key: wrongKey }), invalid)
    }
    t.deepEqual(await callAll(transport, all, { token, key }), everywhere(all, 'answered'))
  })

  test(`the dual methods need a token beside the key ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { Check, Accessible, Share, ListGrantedActions } = messages(
      fixture,
      await fixture.register(fixture.people.owner),
    ) as Record<string, object>
    const all = { Check, Accessible, Share, ListGrantedActions } as Record<string, object>
    const missing = everywhere(all, 'unauthenticated TOKEN_MISSING')
    t.deepEqual(await callAll(transport, all, { key: fixture.key }), missing)
  })

  test(`the key of a deactivated app is refused at once ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { key, appId } = fixture
    const record = await fixture.register(fixture.people.owner)
    await environment.pool.query('update service_apps set is_active = false where id = $1', [appId])
    // Another app keeps development mode away.
    await environment.seed.serviceApp('another')
    const all = messages(fixture, record)
    t.deepEqual(
      await callAll(transport, all, { ...fixture.as(fixture.people.owner), key }),
      everywhere(all, 'unauthenticated SERVICE_KEY_INVALID'),
    )
  })

  test(`the older key of a rotation holds until it expires, the newer one on ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { key, appId, kind } = fixture
    const { resource_id } = await fixture.register(fixture.people.owner)
    const newer = createServiceKey()
    await environment.pool.query(
      `insert into service_keys (key_hash, key_prefix, app_id) values ($1, 'dk_', $2)`,
      [createHash('sha256').update(newer).digest('hex'), appId],
    )
    const expire = (seconds: number) =>
      environment.pool.query(
        `update service_keys set expires_at = now() + $2 * interval '1 second'
         where app_id = $1 and key_prefix <> 'dk_'`,
        [appId, seconds],
      )
    const look = (shown: PresentedCredentials) =>
      transport.call('GetResource', { ...kind, resource_id }, shown)
    await expire(60)
    t.true((await look({ key })).ok)
    t.true((await look({ key: newer })).ok)
    await expire(-1)
    t.like(await look({ key }), { ok: false, reason: 'SERVICE_KEY_INVALID' })
    t.true((await look({ key: newer })).ok)
  })

  test(`another service's name in the request is 403 ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, key, service } = fixture
    const other = await createWorkspaceFixture(environment, transport)
    const record = await other.register(other.people.owner)
    const { Accessible, Register, GetResource, RegisterActions, ListGrantedActions } = messages(
      fixture,
      record,
    ) as Record<string, object>
    const naming = { Accessible, Register, GetResource, RegisterActions, ListGrantedActions }
    for (const service_name of [other.service, service.toUpperCase(), `${service} `, 'nobody']) {
      const all = Object.entries(naming).map(
        ([method, message]) => [method, { ...message, service_name }] as const,
      )
      t.deepEqual(
        await callAll(transport, Object.fromEntries(all), { ...fixture.as(people.owner), key }),
        everywhere(naming, 'forbidden OTHER_SERVICE'),
      )
    }
  })

  test(`a batch in which one check names another service is 403 as a whole ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { resource_id } = await fixture.register(fixture.people.owner)
    const own = { ...fixture.kind, resource_id, action: 'view' }
    const checks = [...Array(20).fill(own), { ...own, service_name: 'another' }]
    for (const batch of [checks, checks.toReversed()]) {
      const ending = await transport.call(
        'Check',
        { checks: batch },
        fixture.as(fixture.people.owner),
      )
      t.like(ending, { ok: false, code: 'permission_denied', reason: 'OTHER_SERVICE' })
    }
  })

  test(`another service's permission_id is answered as a random one ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, workspace } = fixture
    const { key } = await environment.seed.serviceApp('a stranger')
    const record = await fixture.register(people.owner, { workspace_id: workspace })
    await fixture.share(people.owner, record, { user: people.viewer.id }, 'view')
    const before = await fixture.readResource(record)
    const { Share, UpdateVisibility, RevokeShare, Unregister } = messages(fixture, record)
    const all = { Share, UpdateVisibility, RevokeShare, Unregister }
    for (const [method, message] of Object.entries(all)) {
      const shown = { key, token: people.owner.token, headers: { 'x-request-id': 'same' } }
      const theirs = await transport.call(method, message as object, shown)
      const random = { ...message, permission_id: randomUUID() }
      t.like(theirs, { ok: false, code: 'not_found', detail: 'Resource not found' })
      const nobodys = await transport.call(method, random, shown)
      t.deepEqual({ ...theirs, headers: {} }, { ...nobodys, headers: {} })
    }
    t.deepEqual(await fixture.readResource(record), before)
  })
}

for (const transport of development.transports) {
  const over = `over ${transport.label}`

  test.serial(`without an active service app every key is as good as none ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(development, transport)
    const { token } = fixture.people.owner
    for (const shown of [{}, { key: createServiceKey() }, { key: '' }, { key: fixture.key }]) {
      const all = messages(fixture, await fixture.register(fixture.people.owner))
      await deactivateAll(development)
      const endings = await callAll(transport, all, { token, ...shown })
      t.deepEqual(endings, everywhere(all, 'answered'))
      await development.pool.query('update service_apps set is_active = true where id = $1', [
        fixture.appId,
      ])
    }
  })

  test.serial(
    `development mode has no scope, and a dual method needs its token still ${over}`,
    async (t) => {
      const fixture = await createWorkspaceFixture(development, transport)
      const other = await createWorkspaceFixture(development, transport)
      const record = await other.register(other.people.owner)
      await deactivateAll(development)
      const { token } = other.people.owner
      const all = messages(other, record)
      const endings = await callAll(transport, all, { token, key: fixture.key })
      t.deepEqual(endings, everywhere(all, 'answered'))
      const checks = ['one', 'two'].map((service_name) => {
        return { service_name, resource_type: 'x', resource_id: randomUUID(), action: 'view' }
      })
      t.is(expectOk(await transport.call('Check', { checks }, { token })).results.length, 2)
      t.like(await transport.call('Check', { checks }), { ok: false, reason: 'TOKEN_MISSING' })
    },
  )

  test.serial(
    `deactivating the last app returns to development mode, a new one ends it ${over}`,
    async (t) => {
      const { kind, key } = await createWorkspaceFixture(development, transport)
      const look = () => transport.call('GetResource', { ...kind, resource_id: randomUUID() })
      t.like(await look(), { ok: false, code: 'unauthenticated' })
      t.like(await transport.call('GetResource', { ...kind, resource_id: randomUUID() }, { key }), {
        ok: false,
        code: 'not_found',
      })
      await deactivateAll(development)
      t.like(await look(), { ok: false, code: 'not_found' })
      await development.seed.serviceApp('new')
      t.like(await look(), { ok: false, code: 'unauthenticated' })
    },
  )

  test.serial(`SERVICE_KEYS_REQUIRED leaves no development mode ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(development, transport)
    const { key, people } = fixture
    const record = await fixture.register(people.owner)
    await deactivateAll(development)
    const strict = await development.addNode({ keysRequired: true })
    const strictDoor = strict.transports.find(({ name }) => name === transport.name) as Transport
    const all = messages(fixture, record)
    const { token } = people.owner
    t.deepEqual(
      await callAll(strictDoor, all, { token }),
      everywhere(all, 'unauthenticated SERVICE_KEY_MISSING'),
    )
    t.deepEqual(
      await callAll(strictDoor, all, { token, key }),
      everywhere(all, 'unauthenticated SERVICE_KEY_INVALID'),
    )
  })
}
