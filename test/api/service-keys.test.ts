import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import { createServiceKey } from '../../src/identity/service-keys.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { methodName } from '../support/request-fixture.ts'
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

/** A valid message for each method, in an order in which all of them succeed. */
function messages(fixture: WorkspaceFixture, record: ResourceRecord): Record<string, object> {
  const { kind, workspace: workspace_id, people } = fixture
  const { id: permission_id, resource_id, owner_id } = record
  const view = { ...kind, action: 'view' }
  const evaluation = {
    subject: { type: 'user', id: owner_id },
    action: { name: 'view' },
    resource: { type: kind.resource_type, id: resource_id },
  }
  const grantee = { grantee_type: 'user', grantee_id: people.viewer.id, permission: 'view' }
  return {
    Check: { checks: [{ ...view, resource_id }] },
    Accessible: { ...view, workspace_id },
    Share: { permission_id, ...grantee },
    ShareBatch: { shares: [{ permission_id, ...grantee }] },
    Register: { ...kind, resource_id, workspace_id, owner_id },
    RegisterBatch: { resources: [{ ...kind, resource_id, workspace_id, owner_id }] },
    UpdateVisibility: { permission_id, visibility: 'workspace' },
    UpdateParent: { permission_id, inherits: false },
    UpdateResource: { permission_id, display_name: 'Roadmap' },
    UpdateAttributes: { permission_id, attributes: {} },
    GetResource: { ...kind, resource_id },
    TransferOwnership: { permission_id, owner_id },
    RevokeShare: { permission_id, ...grantee },
    Evaluate: evaluation,
    EvaluateBatch: { ...evaluation, evaluations: [{}] },
    SearchSubjects: evaluation,
    SearchResources: evaluation,
    SearchActions: evaluation,
    RegisterActions: { service_name: kind.service_name, actions: [{ name: 'publish' }] },
    ListGrantedActions: { service_name: kind.service_name },
    GetAccessKeys: view,
    AuthorizeAction: {
      action: 'view',
      resource_type: `${kind.service_name}:${kind.resource_type}`,
      resource_id,
    },
    PutRoutes: {
      service_name: kind.service_name,
      routes: [{ methods: [], path: '/', allow: 'anyone' }],
    },
    PutResourceType: {
      ...kind,
      roles: [{ name: 'triage', actions: ['view'] }],
    },
    ListResourceTypes: { service_name: kind.service_name },
    DeleteResourceType: kind,
    AuthorizeForwarded: { method: 'GET', uri: '/' },
    ListRoutes: { service_name: kind.service_name },
    CreateLink: { permission_id, permission: 'view' },
    ListLinks: { permission_id },
    DeleteLink: { permission_id, link_id: randomUUID() },
    Unregister: { permission_id },
  }
}

/** Calls all methods in order; returns 'ok' or the error of each. */
async function callAll(
  transport: Transport,
  all: Record<string, object>,
  credentials: PresentedCredentials,
) {
  const outcomes: Record<string, string> = {}
  for (const [method, message] of Object.entries(all)) {
    const outcome = await transport.call(method, message, credentials)
    outcomes[method] = outcome.ok ? 'ok' : `${outcome.code} ${outcome.reason}`
  }
  return outcomes
}

const forAllMethods = (all: object, outcome: string) =>
  Object.fromEntries(Object.keys(all).map((method) => [method, outcome]))

/** The outcomes of calls with a valid key. The link to delete does not exist. */
const accepted = (all: object) => ({
  ...forAllMethods(all, 'ok'),
  ...('DeleteLink' in all && { DeleteLink: 'not_found LINK_NOT_FOUND' }),
})

/** In development mode, no key identifies the service whose routes would count. */
const inDevelopmentMode = (all: object) => ({
  ...accepted(all),
  AuthorizeForwarded: 'failed_precondition SERVICE_UNKNOWN',
})

/** Returns the methods with such a declaration. */
const methodsWhere = (isSuch: (operation: DeclaredOperation) => boolean) =>
  environment.app.operations.filter(isSuch).map(methodName)

/** Returns the messages of these methods. */
const pick = (all: Record<string, object>, methods: string[]) => {
  const picked = Object.entries(all).filter(([method]) => methods.includes(method))
  if (picked.length === 0) throw new Error('no method has such a policy')
  return Object.fromEntries(picked)
}

const deactivateAll = ({ pool }: TestEnvironment) =>
  pool.query('update service_apps set is_active = false')

test('the cases below cover every method of the service and dual tiers', async (t) => {
  const [transport] = environment.transports as [Transport]
  const fixture = await createWorkspaceFixture(environment, transport)
  // The errors of OAuth endpoints have no reason over REST: see test/identity/oauth/token.test.ts.
  const methodsWithKey = methodsWhere(
    ({ policy, service }) => /service|dual/.test(policy.tier) && service !== 'OAuthService',
  )
  t.deepEqual(
    Object.keys(messages(fixture, await fixture.register(fixture.people.owner))).toSorted(),
    methodsWithKey.toSorted(),
  )
})

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`with an active service app, a missing or invalid key returns 401 and a valid one is accepted ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, key } = fixture
    const { token } = people.owner
    const all = messages(fixture, await fixture.register(people.owner))
    const missing = forAllMethods(all, 'unauthenticated SERVICE_KEY_MISSING')
    t.deepEqual(await callAll(transport, all, { token }), missing)
    const hash = createHash('sha256').update(key).digest('hex')
    const invalidKeys = [
      createServiceKey(),
      key.slice(0, -1),
      `${key}a`,
      key.toUpperCase(),
      hash,
      `${key}, ${key}`,
    ]
    for (const invalidKey of invalidKeys) {
      const invalid = forAllMethods(all, 'unauthenticated SERVICE_KEY_INVALID')
      t.deepEqual(await callAll(transport, all, { token, key: invalidKey }), invalid)
    }
    t.deepEqual(await callAll(transport, all, { token, key }), accepted(all))
  })

  test(`dual methods require a token in addition to the key ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const all = pick(
      messages(fixture, await fixture.register(fixture.people.owner)),
      methodsWhere(({ policy }) => policy.tier === 'dual'),
    )
    const missing = forAllMethods(all, 'unauthenticated TOKEN_MISSING')
    t.deepEqual(await callAll(transport, all, { key: fixture.key }), missing)
  })

  test(`deactivating a service app invalidates its key at once ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { key, appId } = fixture
    const record = await fixture.register(fixture.people.owner)
    await environment.pool.query('update service_apps set is_active = false where id = $1', [appId])
    // Another active app prevents development mode.
    await environment.seed.serviceApp('another')
    const all = messages(fixture, record)
    t.deepEqual(
      await callAll(transport, all, { ...fixture.as(fixture.people.owner), key }),
      forAllMethods(all, 'unauthenticated SERVICE_KEY_INVALID'),
    )
  })

  test(`after a rotation, the older key is valid until it expires ${over}`, async (t) => {
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
    const getResource = (credentials: PresentedCredentials) =>
      transport.call('GetResource', { ...kind, resource_id }, credentials)
    await expire(3600)
    t.true((await getResource({ key })).ok)
    t.true((await getResource({ key: newer })).ok)
    await expire(-1)
    t.like(await getResource({ key }), { ok: false, reason: 'SERVICE_KEY_INVALID' })
    t.true((await getResource({ key: newer })).ok)
  })

  test(`naming another service in the request returns 403 ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, key, service } = fixture
    const other = await createWorkspaceFixture(environment, transport)
    const record = await other.register(other.people.owner)
    // Batches name the service in each item: see below.
    const all = pick(
      messages(fixture, record),
      methodsWhere(({ policy }) => policy.serviceField?.length === 1),
    )
    const resourceKey = {
      ...fixture.kind,
      resource_id: record.resource_id,
      permission_id: undefined,
    }
    const naming = Object.fromEntries(
      Object.entries(all).map(([method, message]) => [
        method,
        'permission_id' in message ? { ...message, ...resourceKey } : message,
      ]),
    )
    for (const service_name of [other.service, service.toUpperCase(), `${service} `, 'nobody']) {
      const requests = Object.entries(naming).map(
        ([method, message]) => [method, { ...message, service_name }] as const,
      )
      t.deepEqual(
        await callAll(transport, Object.fromEntries(requests), {
          ...fixture.as(people.owner),
          key,
        }),
        forAllMethods(naming, 'permission_denied OTHER_SERVICE'),
      )
    }
  })

  test(`a batch returns 403 if one check names another service ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { resource_id } = await fixture.register(fixture.people.owner)
    const own = { ...fixture.kind, resource_id, action: 'view' }
    const checks = [...Array(20).fill(own), { ...own, service_name: 'another' }]
    for (const batch of [checks, checks.toReversed()]) {
      const outcome = await transport.call(
        'Check',
        { checks: batch },
        fixture.as(fixture.people.owner),
      )
      t.like(outcome, { ok: false, code: 'permission_denied', reason: 'OTHER_SERVICE' })
    }
  })

  test(`a resource type that names another service returns 403 in the Access API ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, key, service, kind } = fixture
    const { resource_id: id } = await fixture.register(people.owner)
    const subject = { type: 'user', id: people.owner.id }
    const evaluation = { subject, action: { name: 'view' }, resource: { type: '', id } }
    const methods = methodsWhere(
      ({ policy }) => policy.profile === 'authzen' && policy.tier === 'service',
    )
    const call = (method: string, type: string, context?: object) => {
      const message = { ...evaluation, resource: { type, id }, ...(context && { context }) }
      return transport.call(method, message, { key })
    }
    const other = await createWorkspaceFixture(environment, transport)
    for (const name of [other.service, 'nobody', service.toUpperCase()]) {
      const type = `${name}:${kind.resource_type}`
      for (const method of methods) {
        const outcome = await call(method, type)
        t.like(outcome, { ok: false, code: 'permission_denied', reason: 'OTHER_SERVICE' }, method)
        t.like(expectError(outcome), { detail: `The service key is limited to ${service}` })
      }
      t.like(await call('Evaluate', type, { explain: true }), { reason: 'OTHER_SERVICE' })

      const evaluations = [
        {},
        { resource: { type, id } },
        { resource: { type: `${service}:${kind.resource_type}`, id } },
      ]
      const batch = { ...evaluation, resource: { type: kind.resource_type, id }, evaluations }
      const { evaluations: results } = expectOk(
        await transport.call('EvaluateBatch', batch, { key }),
      )
      const error = {
        status: 403,
        reason: 'OTHER_SERVICE',
        message: `The service key is limited to ${service}`,
      }
      t.deepEqual(
        results.map(({ decision, context }: any) => ({ decision, ...context })),
        [{ decision: true }, { decision: false, error }, { decision: true }],
      )
    }
    // Types without the name of a service, and types that the service has registered itself.
    for (const type of ['unknown', ':x', 'x:'])
      for (const method of methods) t.true((await call(method, type)).ok, `${method} ${type}`)
    const own = { service_name: service, resource_type: 'urn:document', resource_id: id }
    const facts = { workspace_id: fixture.workspace, owner_id: people.owner.id }
    expectOk(await transport.call('Register', { ...own, ...facts }, { key }))
    t.true(expectOk(await call('Evaluate', 'urn:document')).decision)
    t.deepEqual(
      expectOk(await call('SearchResources', 'urn:document')).results.map(({ id }: any) => id),
      [id],
    )
  })

  test(`another service's permission_id is treated like an unknown one ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, workspace } = fixture
    const { key } = await environment.seed.serviceApp('another service')
    const record = await fixture.register(people.owner, { workspace_id: workspace })
    await fixture.share(people.owner, record, { user: people.viewer.id }, 'view')
    const before = await fixture.readResource(record)
    const all = Object.entries(messages(fixture, record)).filter(
      ([, message]) => 'permission_id' in message,
    )
    t.true(all.length >= 6)
    for (const [method, message] of all) {
      const credentials = { key, token: people.owner.token, headers: { 'x-request-id': 'same' } }
      const foreignOutcome = await transport.call(method, message, credentials)
      const random = { ...message, permission_id: randomUUID() }
      t.like(foreignOutcome, { ok: false, code: 'not_found', detail: 'Resource not found' })
      const unknownOutcome = await transport.call(method, random, credentials)
      t.deepEqual({ ...foreignOutcome, headers: {} }, { ...unknownOutcome, headers: {} })
    }
    t.deepEqual(await fixture.readResource(record), before)
  })
}

for (const transport of development.transports) {
  const over = `over ${transport.label}`

  test.serial(
    `without an active service app, requests with any key or no key are accepted ${over}`,
    async (t) => {
      const fixture = await createWorkspaceFixture(development, transport)
      const { token } = fixture.people.owner
      for (const credentials of [
        {},
        { key: createServiceKey() },
        { key: '' },
        { key: fixture.key },
      ]) {
        const all = messages(fixture, await fixture.register(fixture.people.owner))
        await deactivateAll(development)
        const outcomes = await callAll(transport, all, { token, ...credentials })
        t.deepEqual(outcomes, inDevelopmentMode(all))
        await development.pool.query('update service_apps set is_active = true where id = $1', [
          fixture.appId,
        ])
      }
    },
  )

  test.serial(
    `development mode accepts any service name, but dual methods still require a token ${over}`,
    async (t) => {
      const fixture = await createWorkspaceFixture(development, transport)
      const other = await createWorkspaceFixture(development, transport)
      const record = await other.register(other.people.owner)
      await deactivateAll(development)
      const { token } = other.people.owner
      const all = messages(other, record)
      const outcomes = await callAll(transport, all, { token, key: fixture.key })
      t.deepEqual(outcomes, inDevelopmentMode(all))
      const checks = ['one', 'two'].map((service_name) => {
        return { service_name, resource_type: 'x', resource_id: randomUUID(), action: 'view' }
      })
      t.is(expectOk(await transport.call('Check', { checks }, { token })).results.length, 2)
      t.like(await transport.call('Check', { checks }), { ok: false, reason: 'TOKEN_MISSING' })
    },
  )

  test.serial(
    `deactivating the last service app starts development mode, and creating a new one ends it ${over}`,
    async (t) => {
      const { kind, key } = await createWorkspaceFixture(development, transport)
      const getResource = () =>
        transport.call('GetResource', { ...kind, resource_id: randomUUID() })
      t.like(await getResource(), { ok: false, code: 'unauthenticated' })
      t.like(await transport.call('GetResource', { ...kind, resource_id: randomUUID() }, { key }), {
        ok: false,
        code: 'not_found',
      })
      await deactivateAll(development)
      t.like(await getResource(), { ok: false, code: 'not_found' })
      await development.seed.serviceApp('new')
      t.like(await getResource(), { ok: false, code: 'unauthenticated' })
    },
  )

  test.serial(`SERVICE_KEYS_REQUIRED disables development mode ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(development, transport)
    const { key, people } = fixture
    const record = await fixture.register(people.owner)
    await deactivateAll(development)
    const strict = await development.addNode({ SERVICE_KEYS_REQUIRED: true })
    const strictTransport = strict.transports.find(
      ({ name }) => name === transport.name,
    ) as Transport
    const all = messages(fixture, record)
    const { token } = people.owner
    t.deepEqual(
      await callAll(strictTransport, all, { token }),
      forAllMethods(all, 'unauthenticated SERVICE_KEY_MISSING'),
    )
    t.deepEqual(
      await callAll(strictTransport, all, { token, key }),
      forAllMethods(all, 'unauthenticated SERVICE_KEY_INVALID'),
    )
  })
}
