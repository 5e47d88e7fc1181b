import { createHmac, generateKeyPairSync, randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../../support/admin.ts'
import { asserting, jwk, signAssertion } from '../../support/client-assertions.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { seedServiceAccount } from '../../support/request-fixture.ts'
import { startTestEnvironment } from '../../support/test-environment.ts'
import type { Transport } from '../../support/transports.ts'
import { createWorkspaceFixture } from '../../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const other = await environment.addNode()
const { pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const issuer = 'http://localhost:8000'

/** Creates a client app that is bound to a service account, with the role editor. */
async function createFixture(transport: Transport, settings: object = {}) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const account = await seedServiceAccount(environment, fixture.workspace)
  const message = {
    name: 'Exporter',
    type: 'confidential',
    redirect_uris: [],
    service_account_id: account,
    ...settings,
  }
  const created = expectOk(await admin.call(transport, 'CreateClientApp', message))
  const client = { client_id: created.id as string, client_secret: created.client_secret as string }
  const onOtherNode = other.transports.find(({ name }) => name === transport.name) ?? transport
  const grant = { grant_type: 'client_credentials' }
  const issue = (credentials: object = client) =>
    transport.call('IssueToken', { ...grant, ...credentials })
  const document = await fixture.register(fixture.people.owner, { visibility: 'workspace' })
  const checks = [{ ...fixture.kind, resource_id: document.resource_id, action: 'edit' }]
  return {
    ...fixture,
    account,
    client,
    issue,
    token: async () => expectOk(await issue()).access_token as string,
    /** The outcomes of a check with the token on both nodes. */
    check: (token: string) =>
      Promise.all(
        [transport, onOtherNode].map((on) =>
          on.call('Check', { checks }, { token, key: fixture.key }),
        ),
      ),
    update: (changes: object) =>
      admin.call(transport, 'UpdateClientApp', {
        client_app_id: client.client_id,
        redirect_uris: [],
        ...changes,
      }),
    updateAccount: async (changes: object) =>
      expectOk(
        await admin.call(transport, 'UpdateServiceAccount', {
          workspace_id: fixture.workspace,
          service_account_id: account,
          ...changes,
        }),
      ),
  }
}

type Fixture = Awaited<ReturnType<typeof createFixture>>

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a client app obtains a token of its service account for 15 minutes ${over}`, async (t) => {
    const { client, issue, check, account, workspace } = await createFixture(transport)
    const basic = Buffer.from(`${client.client_id}:${client.client_secret}`).toString('base64')
    for (const credentials of [client, { authorization: `Basic ${basic}` }]) {
      const issued = expectOk(await issue(credentials))
      t.like(issued, { token_type: 'Bearer', expires_in: 900, workspace_id: workspace })
      t.falsy(issued.refresh_token)
      for (const outcome of await check(issued.access_token))
        t.true(expectOk(outcome).results[0].allowed)
      const me = expectOk(await transport.call('GetMe', {}, { token: issued.access_token }))
      t.like(me, { id: account, email: '' })
    }
  })

  test(`the token is accepted only where an API key is ${over}`, async (t) => {
    const { token, workspace } = await createFixture(transport)
    const as = { token: await token() }
    for (const [method, message] of [
      ['WorkspaceService/CreateWorkspace', { name: 'New', slug: `w-${randomUUID()}` }],
      ['WorkspaceService/ListMembers', { workspace_id: workspace }],
      ['ListSessions', {}],
    ] as const) {
      const outcome = await transport.call(method, message, as)
      t.is(expectError(outcome).reason, 'API_KEY_NOT_ACCEPTED', method)
    }
  })

  const ends: Record<string, (fixture: Fixture) => Promise<unknown>> = {
    'account is deactivated': ({ updateAccount }) => updateAccount({ is_active: false }),
    'account has ended': async ({ account }) =>
      pool.query("update members set expires_at = now() - interval '1 s' where user_id = $1", [
        account,
      ]),
    'account is deleted': async ({ workspace, account }) =>
      expectOk(
        await admin.call(transport, 'DeleteServiceAccount', {
          workspace_id: workspace,
          service_account_id: account,
        }),
      ),
    'workspace is deleted': async ({ workspace }) =>
      expectOk(await admin.call(transport, 'DeleteWorkspace', { workspace_id: workspace })),
    'client app is unbound': async ({ update }) =>
      expectOk(
        await update({
          redirect_uris: [`https://app.example.com/${randomUUID()}`],
          remove_service_account: true,
        }),
      ),
    'client app is deactivated': async ({ update }) => expectOk(await update({ is_active: false })),
    'secret is rotated without an overlap': async ({ client }) =>
      expectOk(
        await admin.call(transport, 'RotateClientApp', {
          client_app_id: client.client_id,
          overlap_seconds: 0,
        }),
      ),
    'client app is deleted': async ({ client }) =>
      expectOk(await admin.call(transport, 'DeleteClientApp', { client_app_id: client.client_id })),
  }

  for (const [cause, end] of Object.entries(ends)) {
    test(`tokens end on every node when the ${cause} ${over}`, async (t) => {
      const fixture = await createFixture(transport)
      const token = await fixture.token()
      for (const outcome of await fixture.check(token)) expectOk(outcome)
      await end(fixture)
      for (const outcome of await fixture.check(token))
        t.is(expectError(outcome).code, 'unauthenticated')
      t.false((await fixture.issue()).ok)
    })
  }

  test(`ended tokens do not become valid again with the account or the app ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const token = await fixture.token()
    await fixture.updateAccount({ is_active: false })
    await fixture.updateAccount({ is_active: true })
    const next = await fixture.token()
    expectOk(await fixture.update({ is_active: false }))
    expectOk(await fixture.update({ is_active: true }))
    for (const ended of [token, next]) {
      for (const outcome of await fixture.check(ended))
        t.is(expectError(outcome).reason, 'TOKEN_REVOKED')
    }
    for (const outcome of await fixture.check(await fixture.token())) expectOk(outcome)
    await pool.query("update members set expires_at = now() - interval '1 s' where user_id = $1", [
      fixture.account,
    ])
    const beforeEnd = next
    await fixture.updateAccount({ never_expires: true })
    for (const outcome of await fixture.check(beforeEnd))
      t.is(expectError(outcome).reason, 'TOKEN_REVOKED')
  })

  test(`an assertion authenticates the client, once ${over}`, async (t) => {
    const { client, issue, check, update } = await createFixture(transport, {
      jwks: { keys: [jwk] },
    })
    const { client_id } = client
    const assertion = await signAssertion(client_id)
    const { access_token } = expectOk(await issue(asserting(assertion)))
    for (const outcome of await check(access_token)) expectOk(outcome)
    t.is(expectError(await issue(asserting(assertion))).reason, 'INVALID_CLIENT')
    const aud = `${issuer}/oauth/token`
    expectOk(await issue(asserting(await signAssertion(client_id, { aud }), { client_id })))
    const now = Math.floor(Date.now() / 1000)
    const { privateKey: otherKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    const forged = `${Buffer.from('{"alg":"HS256"}').toString('base64url')}.${assertion.split('.')[1]}`
    const hmac = createHmac('sha256', JSON.stringify(jwk)).update(forged).digest('base64url')
    const invalid: [name: string, assertion: string][] = [
      ['another key', await signAssertion(client_id, {}, otherKey)],
      ['a symmetric signature', `${forged}.${hmac}`],
      ['another audience', await signAssertion(client_id, { aud: 'https://other.example.com' })],
      ['another subject', await signAssertion(client_id, { sub: randomUUID() })],
      ['another issuer', await signAssertion(randomUUID())],
      ['no ID', await signAssertion(client_id, { jti: undefined })],
      ['no end', await signAssertion(client_id, { exp: undefined })],
      ['an end in the past', await signAssertion(client_id, { exp: now - 60 })],
      ['a distant end', await signAssertion(client_id, { exp: now + 7200 })],
      ['no form', 'x'],
    ]
    for (const [name, text] of invalid)
      t.is(expectError(await issue(asserting(text))).reason, 'INVALID_CLIENT', name)
    for (const more of [{ client_secret: client.client_secret }, { client_id: randomUUID() }]) {
      const message = asserting(await signAssertion(client_id), more)
      t.is(expectError(await issue(message)).reason, 'INVALID_REQUEST')
    }
    const wrongType = { ...asserting(await signAssertion(client_id)), client_assertion_type: 'x' }
    t.is(expectError(await issue(wrongType)).reason, 'INVALID_REQUEST')
    expectOk(await update({ remove_jwks: true }))
    const removed = await issue(asserting(await signAssertion(client_id)))
    t.is(expectError(removed).reason, 'INVALID_CLIENT')
  })

  test(`of 10 concurrent uses of an assertion, one succeeds ${over}`, async (t) => {
    const { client, issue } = await createFixture(transport, { jwks: { keys: [jwk] } })
    const assertion = await signAssertion(client.client_id)
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, () => issue(asserting(assertion))),
    )
    t.is(outcomes.filter(({ ok }) => ok).length, 1)
  })

  test(`a client app without a service account obtains no token ${over}`, async (t) => {
    const message = {
      name: 'App',
      type: 'confidential',
      redirect_uris: [`https://app.example.com/${randomUUID()}`],
    }
    const app = expectOk(await admin.call(transport, 'CreateClientApp', message))
    const grant = { grant_type: 'client_credentials', client_id: app.id }
    const outcome = await transport.call('IssueToken', {
      ...grant,
      client_secret: app.client_secret,
    })
    t.is(expectError(outcome).reason, 'UNAUTHORIZED_CLIENT')
  })

  test(`the settings for machines are checked, each with its reason ${over}`, async (t) => {
    const { account, update, people } = await createFixture(transport)
    const create = async (settings: object) => {
      const message = { name: 'App', redirect_uris: [], type: 'confidential', ...settings }
      const { violations } = expectError(await admin.call(transport, 'CreateClientApp', message))
      return violations.map(({ field }) => field)
    }
    t.deepEqual(await create({}), ['redirect_uris'])
    t.deepEqual(await create({ type: 'public', service_account_id: account }), [
      'service_account_id',
    ])
    t.deepEqual(await create({ service_account_id: randomUUID() }), ['service_account_id'])
    t.deepEqual(await create({ service_account_id: people.viewer.id }), ['service_account_id'])
    const keys = async (...keys: unknown[]) =>
      create({ service_account_id: account, jwks: { keys } })
    t.deepEqual(await keys(), ['jwks.keys'])
    t.deepEqual(await keys({ kty: 'oct', k: 'secret' }, 1, { ...jwk, d: 'private' }), [
      'jwks.keys[0]',
      'jwks.keys[1]',
      'jwks.keys[2]',
    ])
    const unbound = expectError(await update({ remove_service_account: true }))
    t.deepEqual(
      unbound.violations.map(({ field }) => field),
      ['redirect_uris'],
    )
  })

  test(`the token of an app is active for it and for services ${over}`, async (t) => {
    const { token, client, key, account, workspace } = await createFixture(transport)
    const access = await token()
    for (const [message, credentials] of [
      [{ token: access, ...client }, {}],
      [{ token: access }, { key }],
    ] as const) {
      const found = expectOk(await transport.call('IntrospectToken', message, credentials))
      t.like(found, { active: true, sub: account, wid: workspace, client_id: client.client_id })
    }
  })
}

test('discovery names the grant and the ways to authenticate', async (t) => {
  const [transport] = environment.transports as [Transport]
  const configuration = expectOk(await transport.call('GetConfiguration', {}))
  t.true(configuration.grant_types_supported.includes('client_credentials'))
  t.deepEqual(configuration.token_endpoint_auth_methods_supported, [
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
    'none',
  ])
  t.true(configuration.token_endpoint_auth_signing_alg_values_supported.includes('ES256'))
})
