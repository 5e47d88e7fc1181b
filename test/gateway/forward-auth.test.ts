import { randomUUID } from 'node:crypto'
import test from 'ava'
import { cloneDatabase } from '../support/database.ts'
import { expectOk } from '../support/outcome.ts'
import { startDatabaseProxy } from '../support/proxy.ts'
import { type RawRequest, sendRawHttp } from '../support/raw-requests.ts'
import { createSeed } from '../support/seed.ts'
import { type Node, startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const rememberingOptions = { MAX_FACTS_CACHE_BYTES: 1024 * 1024 }
const remembering = await environment.addNode(rememberingOptions)
const [grpc, rest] = environment.transports as [Transport, Transport]
test.after.always(() => environment.stop())

const actionRoute = '/access/v1/authorize'
const requestRoute = '/access/v1/authorize/request'

/** Creates a fixture with functions that ask as a gateway does. */
async function createGateway({ transport = rest, node = environment as Node } = {}) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { key, service: service_name } = fixture
  const send = (path: string, headers: Record<string, string>, request: RawRequest = {}) =>
    sendRawHttp(node.httpPort, { path, headers: { 'x-service-key': key, ...headers }, ...request })
  const tokenOf = (member: Member | undefined): Record<string, string> =>
    member ? { authorization: `Bearer ${member.token}` } : {}
  return {
    ...fixture,
    send,
    put: async (...routes: object[]) => {
      const list = routes.map((route) => ({ methods: [], ...route }))
      return expectOk(await transport.call('PutRoutes', { service_name, routes: list }, { key }))
    },
    /** Asks about an action on a document. */
    ask: (member: Member | undefined, action: string, id: string, more: RawRequest = {}) => {
      const query = new URLSearchParams({ action, resource_type: 'document', resource_id: id })
      return send(`${actionRoute}?${query}`, tokenOf(member), more)
    },
    /** Asks about a request to the application. */
    forward: (
      member: Member | undefined,
      uri: string,
      { method = 'GET', ...more }: RawRequest & { method?: string } = {},
    ) => {
      const forwarded = { 'x-forwarded-method': method, 'x-forwarded-uri': uri }
      return send(requestRoute, { ...forwarded, ...tokenOf(member) }, more)
    },
  }
}

/** Returns the status and the reason of a response, such as '403 ACCESS_DENIED'. */
const resultOf = ({ status, json }: { status: number; json: any }) =>
  json ? `${status} ${json.reason}` : String(status)

const userHeaders = ({ headers }: { headers: Record<string, unknown> }) =>
  ['user', 'email', 'workspace', 'role'].map((name) => headers[`x-auth-${name}`])

const documents = [
  { methods: ['GET', 'HEAD'], path: '/', allow: 'anyone' },
  { path: '/account', allow: 'authenticated' },
  { methods: ['GET'], path: '/documents/{id}', action: 'view', resource_type: 'document' },
  { path: '/documents/{id}', action: 'edit', resource_type: 'document' },
]

for (const node of [environment, remembering]) {
  const where = node === remembering ? ' with facts in memory' : ''

  test(`forward authentication decides as Check does${where}`, async (t) => {
    const { ask, forward, put, people, service, ...fixture } = await createGateway({ node })
    const action = await seed.serviceAction(service, 'publish')
    await seed.customRole(fixture.workspace, [action], [people.viewer.id])
    const publish = { action: 'publish', resource_type: 'document' }
    await put(...documents, { path: '/documents/{id}/publish', ...publish })
    const records = [
      await fixture.register(people.viewer),
      await fixture.register(people.owner, { visibility: 'workspace' }),
      { resource_id: randomUUID() },
    ]
    for (const { resource_id: id } of records) {
      for (const member of Object.values(people)) {
        for (const [action, uri, method] of [
          ['view', `/documents/${id}`, 'GET'],
          ['edit', `/documents/${id}`, 'POST'],
          ['publish', `/documents/${id}/publish`, 'POST'],
        ] as const) {
          const allowed = await fixture.isAllowed(member, action, { resource_id: id })
          const expected = allowed ? '204' : '403 ACCESS_DENIED'
          t.is(resultOf(await ask(member, action, id)), expected)
          t.is(resultOf(await forward(member, uri, { method })), expected)
          const calls = [
            ['AuthorizeAction', { action, resource_type: 'document', resource_id: id }],
            ['AuthorizeForwarded', { method, uri }],
          ] as const
          for (const [name, message] of calls)
            t.is((await grpc.call(name, message, fixture.as(member))).ok, allowed)
        }
      }
    }
  })

  test(`a change of routes takes effect on every node when it is acknowledged${where}`, async (t) => {
    const { put, forward, people } = await createGateway({ node })
    for (let round = 0; round < 10; round += 1) {
      await put({ path: '/page', allow: 'anyone' })
      t.is(resultOf(await forward(undefined, '/page')), '204')
      const pending = Array.from({ length: 20 }, () => forward(people.viewer, '/page'))
      await put({ path: '/page', action: 'view', resource_type: 'page', resource_id: 'p' })
      t.is(resultOf(await forward(people.viewer, '/page')), '403 ACCESS_DENIED')
      await Promise.all(pending)
    }
    await put()
    t.is(resultOf(await forward(people.viewer, '/page')), '403 ROUTE_UNKNOWN')
  })
}

test('an allowed request carries the user, and every response without a user empty headers', async (t) => {
  const { ask, forward, put, people, workspace, ...fixture } = await createGateway()
  await put(...documents)
  const { resource_id } = await fixture.register(people.viewer)
  const user = [people.viewer.id, 'someone@example.com', workspace, 'viewer']
  t.deepEqual(userHeaders(await ask(people.viewer, 'view', resource_id)), user)
  t.deepEqual(userHeaders(await forward(people.viewer, '/account')), user)
  t.deepEqual(userHeaders(await forward(people.viewer, '/')), user)
  const anonymous = await forward(undefined, '/')
  t.is(anonymous.status, 204)
  t.deepEqual(userHeaders(anonymous), ['', '', '', ''])
  for (const response of [anonymous, await forward(people.viewer, '/unknown')])
    t.is(response.headers['cache-control'], 'no-store')
})

test('a token that is not valid is rejected, but counts as absent on a route for anyone', async (t) => {
  const { ask, forward, put, people, workspace, ...fixture } = await createGateway()
  await put(...documents)
  const { resource_id } = await fixture.register(people.viewer)
  const revoked = await fixture.addMember('viewer')
  const inactive = await fixture.addMember('viewer')
  const left = await fixture.addMember('viewer')
  const expired = { ...left, token: await environment.token(left.id, workspace, { seconds: -1 }) }
  expectOk(await rest.call('Logout', {}, { token: revoked.token }))
  await pool.query('update users set is_active = false where id = $1', [inactive.id])
  await pool.query('delete from members where user_id = $1', [left.id])
  const garbage = { id: '', token: 'x' }
  for (const member of [revoked, inactive, left, expired, garbage]) {
    for (const response of [
      await ask(member, 'view', resource_id),
      await forward(member, '/account'),
      await forward(member, `/documents/${resource_id}`),
    ]) {
      t.is(response.status, 401)
      t.is(response.headers['www-authenticate'], 'Bearer error="invalid_token"')
    }
    const open = await forward(member, '/')
    t.deepEqual([open.status, ...userHeaders(open)], [204, '', '', '', ''])
  }
  for (const response of [
    await ask(undefined, 'view', resource_id),
    await forward(undefined, '/account'),
  ]) {
    t.is(resultOf(response), '401 TOKEN_MISSING')
    t.is(response.headers['www-authenticate'], 'Bearer realm="daikon"')
  }
})

test('the client of a gateway cannot choose the service', async (t) => {
  const { send, put } = await createGateway()
  const other = await createGateway()
  await put(...documents)
  await other.put({ path: '/secret', allow: 'anyone' })
  const forwarded = { 'x-forwarded-method': 'GET', 'x-forwarded-uri': '/secret' }
  const authorization = `Bearer ${other.key}`
  t.is(resultOf(await send(requestRoute, { ...forwarded, authorization })), '403 ROUTE_UNKNOWN')
  const withoutKey = { path: requestRoute, headers: { ...forwarded, authorization } }
  const response = await sendRawHttp(environment.httpPort, withoutKey)
  t.is(resultOf(response), '401 SERVICE_KEY_MISSING')
})

test('every HTTP method asks the same question, and bodies and preflights change nothing', async (t) => {
  const { ask, forward, put, people, ...fixture } = await createGateway()
  await put(...documents)
  const { resource_id } = await fixture.register(people.owner)
  const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND', 'TRACE']
  for (const method of methods) {
    t.is((await ask(people.owner, 'view', resource_id, { method })).status, 204, method)
    t.is((await ask(people.viewer, 'view', resource_id, { method })).status, 403, method)
  }
  const body = Buffer.alloc(300_000, '{"uri":"/"')
  t.is((await ask(people.viewer, 'view', resource_id, { method: 'POST', body })).status, 403)
  t.is((await ask(people.owner, 'view', resource_id, { method: 'POST', body })).status, 204)
  const { key } = fixture
  for (const [path, status] of [
    ['/account', 401],
    ['/', 204],
  ] as const) {
    const preflight = await sendRawHttp(environment.httpPort, {
      method: 'OPTIONS',
      path: requestRoute,
      headers: {
        'x-service-key': key,
        'x-forwarded-method': 'GET',
        'x-forwarded-uri': path,
        origin: 'http://localhost:9004',
        'access-control-request-method': 'GET',
      },
    })
    t.is(preflight.status, status)
    t.is(preflight.headers['access-control-allow-origin'], undefined)
  }
})

test('neither route reads what the other one reads', async (t) => {
  const { send, put, people, ...fixture } = await createGateway()
  await put(...documents)
  const { resource_id } = await fixture.register(people.owner)
  const authorization = `Bearer ${people.viewer.token}`
  const open = { authorization, 'x-forwarded-method': 'GET', 'x-forwarded-uri': '/' }
  const query = `?action=view&resource_type=document&resource_id=${resource_id}`
  t.is(resultOf(await send(`${actionRoute}${query}`, open)), '403 ACCESS_DENIED')
  const closed = { ...open, 'x-forwarded-uri': `/documents/${resource_id}` }
  const ignored = `${query}&method=GET&uri=/&x-forwarded-uri=/`
  t.is(resultOf(await send(`${requestRoute}${ignored}`, closed)), '403 ACCESS_DENIED')
  t.is(resultOf(await send(`${requestRoute}${ignored}`, open)), '204')
})

test('an absent, empty, repeated or unknown parameter is 400', async (t) => {
  const { send, put, people, ...fixture } = await createGateway()
  await put({ path: '/', allow: 'anyone' })
  const { resource_id } = await fixture.register(people.owner)
  const authorization = `Bearer ${people.owner.token}`
  const action = 'action=view'
  const type = 'resource_type=document'
  const id = `resource_id=${resource_id}`
  const queries = [
    ...['', action, `${action}&${type}`, `${action}&${id}`, `${type}&${id}`],
    ...[
      `action=&${type}&${id}`,
      `${action}&resource_type=&${id}`,
      `${action}&${type}&resource_id=`,
    ],
    ...[action, type, id, 'action=edit', 'uri=/'].map((last) => [action, type, id, last].join('&')),
    `${action}&${type}&resource_id=${'a'.repeat(256)}`,
  ]
  for (const query of queries)
    t.is((await send(`${actionRoute}?${query}`, { authorization })).status, 400, query)

  const method = ['x-forwarded-method', 'GET']
  const uri = ['x-forwarded-uri', '/']
  const lists = [
    [],
    method,
    uri,
    [...method, 'x-forwarded-uri', ''],
    ['x-forwarded-method', '', ...uri],
    [...method, ...uri, ...uri],
    [...method, ...method, ...uri],
    [...method, ...uri, 'X-Forwarded-Uri', '/secret'],
  ]
  for (const list of lists) {
    const headers = ['host', 'localhost', 'x-service-key', fixture.key, ...list]
    const response = await sendRawHttp(environment.httpPort, { path: requestRoute, headers })
    t.is(response.status, 400, String(list))
  }
  const headers = ['host', 'localhost', 'x-service-key', fixture.key, ...method, ...uri]
  t.is((await sendRawHttp(environment.httpPort, { path: requestRoute, headers })).status, 204)
})

test('paths that could be read in two ways are denied, also to owners', async (t) => {
  const { forward, put, people } = await createGateway()
  await put({ path: '/{path=**}', allow: 'anyone' })
  for (const uri of ['/a/../b', '/a%2fb', '//a', '/a/', '/a;b', '/a%5cb', '/%00', '/a,b, /c'])
    t.is(resultOf(await forward(people.owner, uri)), '403 PATH_AMBIGUOUS', uri)
  t.is(resultOf(await forward(undefined, '/a,b')), '204')
})

test('a type of another service is an error', async (t) => {
  const { send, people } = await createGateway()
  const authorization = `Bearer ${people.owner.token}`
  const query = 'action=view&resource_type=other:document&resource_id=d'
  t.is(resultOf(await send(`${actionRoute}?${query}`, { authorization })), '403 OTHER_SERVICE')
})

test('the window of the service key counts checks and forward authentication', async (t) => {
  const node = await environment.addNode({
    RATE_LIMIT_PER_MINUTE: 30,
    SERVICE_RATE_LIMIT_PER_MINUTE: 4,
  })
  const { ask, forward, put, people, ...fixture } = await createGateway({ node })
  await put(...documents)
  const { resource_id } = await fixture.register(people.viewer)
  const [, http] = node.transports as [Transport, Transport]
  const checks = [{ ...fixture.kind, resource_id, action: 'view' }]
  expectOk(await http.call('Check', { checks }, fixture.as(people.viewer)))
  const responses = [
    await ask(people.viewer, 'view', resource_id),
    await forward(undefined, '/'),
    await forward(undefined, '/unknown'),
    await forward(undefined, '/'),
  ]
  t.deepEqual(responses.map(resultOf), ['204', '204', '403 ROUTE_UNKNOWN', '429 RATE_LIMITED'])
  t.regex(String(responses.at(-1)?.headers['retry-after']), /^\d+$/)
})

for (const { where, options } of [
  { where: '', options: {} },
  { where: ' with facts in memory', options: rememberingOptions },
]) {
  test.serial(`without PostgreSQL, every route is 503${where}`, async (t) => {
    const database = await cloneDatabase()
    const proxy = await startDatabaseProxy(database.url)
    const node = await startTestEnvironment(options, proxy.url)
    t.teardown(async () => {
      await node.stop()
      await proxy.close()
      await database.drop()
    })
    const [, http] = node.transports as [Transport, Transport]
    const fixture = await createWorkspaceFixture({ ...node, seed: createSeed(database.pool) }, http)
    const { key, service: service_name, people } = fixture
    const routes = [{ methods: [], path: '/', allow: 'anyone' }]
    expectOk(await http.call('PutRoutes', { service_name, routes }, { key }))
    const headers = {
      'x-service-key': key,
      'x-forwarded-method': 'GET',
      'x-forwarded-uri': '/',
      authorization: `Bearer ${people.owner.token}`,
    }
    const query = '?action=view&resource_type=document&resource_id=d'
    const ask = () =>
      Promise.all(
        [requestRoute, actionRoute + query].map(async (path) =>
          resultOf(await sendRawHttp(node.httpPort, { path, headers })),
        ),
      )
    // The second time, the facts are in memory.
    for (let times = 0; times < 2; times += 1)
      t.deepEqual(await ask(), ['204', '403 ACCESS_DENIED'])
    await proxy.cut()
    t.deepEqual(await ask(), ['503 STORAGE_UNAVAILABLE', '503 STORAGE_UNAVAILABLE'])
  })
}

test.serial('in development mode, routes require a service app', async (t) => {
  const { forward, ask, people, put, ...fixture } = await createGateway()
  await put(...documents)
  const { resource_id } = await fixture.register(people.viewer)
  await pool.query('update service_apps set is_active = false')
  t.teardown(() => pool.query('update service_apps set is_active = true'))
  t.is(resultOf(await forward(people.viewer, '/')), '400 SERVICE_UNKNOWN')
  t.is(resultOf(await ask(people.viewer, 'view', resource_id)), '403 ACCESS_DENIED')
})
