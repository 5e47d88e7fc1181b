import { randomUUID } from 'node:crypto'
import test from 'ava'
import { type RawResponse, sendRawHttp } from '../support/raw-requests.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const secure = { COOKIE_SECURE: true }
const environment = await createSignInEnvironment({ options: secure })
const plain = await environment.addNode({ COOKIE_SECURE: false })
const strict = await environment.addNode({ ALLOWED_HOSTS: [] })
const narrow = await environment.addNode({ RATE_LIMIT_PER_MINUTE: 1 })
// No database listens at this address.
const disconnected = await startTestEnvironment(secure, 'postgresql://daikon@127.0.0.1:9/daikon')
const [transport] = environment.transports.filter(({ name }) => name === 'rest') as [Transport]
const { key, service, kind, people, workspace, register } = await createWorkspaceFixture(
  environment,
  transport,
)
const { resource_id } = await register(people.owner)
await sendRawHttp(narrow.httpPort, { path: '/users/me' })
test.after.always(() => Promise.all([environment.stop(), disconnected.stop()]))

const path = `/permissions/resource/${service}/${kind.resource_type}`
const presented = { 'x-service-key': key }
const asOwner = { authorization: `Bearer ${people.owner.token}` }
const json = { 'content-type': 'application/json' }
const get = (path: string, headers: Record<string, string> = {}) =>
  sendRawHttp(environment.httpPort, { path, headers })
const post = (path: string, body: object, headers: Record<string, string>) =>
  sendRawHttp(environment.httpPort, {
    method: 'POST',
    path,
    body: JSON.stringify(body),
    headers: { ...json, ...headers },
  })
const createWorkspace = (slug: string) =>
  post('/workspaces', { name: 'New', slug, description: '' }, asOwner)

/** A request for each kind of response. */
const responses: Record<string, () => Promise<RawResponse>> = {
  '200': () => get(`${path}/${resource_id}`, presented),
  '200 /health': () => get('/health'),
  '200 of HEAD': () =>
    sendRawHttp(environment.httpPort, { method: 'HEAD', path: '/.well-known/jwks.json' }),
  '200 /openapi.json': () => get('/openapi.json'),
  '200 /docs': () => get('/docs'),
  '200 /docs/ui.js': () => get('/docs/ui.js'),
  '200 /docs/ui.css': () => get('/docs/ui.css'),
  '200 /docs/start.js': () => get('/docs/start.js'),
  '200 /redoc': () => get('/redoc'),
  '200 /redoc/ui.js': () => get('/redoc/ui.js'),
  '200 /redoc/start.js': () => get('/redoc/start.js'),
  '201': () => createWorkspace(`w-${randomUUID()}`),
  '204': async () => {
    const { id } = await register(people.owner)
    const request = { method: 'DELETE', path: `/permissions/${id}`, headers: presented }
    return sendRawHttp(environment.httpPort, request)
  },
  '204 of a preflight': () => {
    const preflightHeaders = {
      origin: 'https://app.example.com',
      'access-control-request-method': 'GET',
    }
    return sendRawHttp(environment.httpPort, {
      method: 'OPTIONS',
      path: '/users/me',
      headers: preflightHeaders,
    })
  },
  '302': () => get('/auth/admin/login/google'),
  '304': () => get('/.well-known/jwks.json', { 'if-none-match': '*' }),
  '400 of a host': () => sendRawHttp(strict.httpPort, { headers: { host: 'evil.example' } }),
  '401': () => get(`${path}/${resource_id}`),
  '403': () => get(`/permissions/resource/another/b/${resource_id}`, presented),
  '404': () => get(`${path}/${randomUUID()}`, presented),
  '404 of no route': () => get('/nothing/here'),
  '405': () => get('/permissions/check'),
  '405 of OPTIONS': () =>
    sendRawHttp(environment.httpPort, { method: 'OPTIONS', path: '/users/me' }),
  '405 /health': () => sendRawHttp(environment.httpPort, { method: 'POST', path: '/health' }),
  '409': () => createWorkspace(`w-${workspace}`),
  '413': () => post('/workspaces', { name: 'x'.repeat(5_000_000) }, asOwner),
  '415': () => post('/permissions/register', {}, { ...presented, 'content-type': 'text/plain' }),
  '422': () => get(`${path}/${'x'.repeat(256)}`, presented),
  '422 of an address': () => get('/permissions/resource/%/b/c', presented),
  '429': () => sendRawHttp(narrow.httpPort, { path: '/users/me' }),
  '503': () =>
    sendRawHttp(disconnected.httpPort, { path: `${path}/${resource_id}`, headers: presented }),
}

/** The security headers of every response. */
const security = {
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin-when-cross-origin',
  'x-xss-protection': '0',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-embedder-policy': 'require-corp',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'x-permitted-cross-domain-policies': 'none',
  server: 'daikon',
}
const hsts = { 'strict-transport-security': 'max-age=63072000; includeSubDomains' }

/** Pages whose Content-Security-Policy also allows their own scripts and styles. */
const pages = ['200 /docs', '200 /redoc']

for (const [name, send] of Object.entries(responses)) {
  test(`${name} has every security header and does not reveal Express`, async (t) => {
    const { status, headers } = await send()
    t.is(status, Number.parseInt(name, 10))
    const policy = String(headers['content-security-policy'])
    const own = pages.includes(name) && { 'content-security-policy': policy }
    t.like(headers, { ...security, ...hsts, ...own })
    if (own) t.regex(policy, /^default-src 'none';.*; frame-ancestors 'none'/)
    t.is(headers['x-powered-by'], undefined)
    t.is(headers.etag, undefined)
    const isCacheable = name === '304' || name === '200 of HEAD'
    t.is(headers['cache-control'], isCacheable ? 'public, max-age=300' : 'no-store')
  })

  // Preflights have no X-Request-ID.
  if (name === '204 of a preflight') continue

  test(`${name} has a new X-Request-ID`, async (t) => {
    const generated = (await send()).headers['x-request-id']
    t.regex(String(generated), /^[0-9a-f-]{36}$/)
    t.not((await send()).headers['x-request-id'], generated)
  })

  if (Number.parseInt(name, 10) < 400) continue
  test(`${name} is application/problem+json (RFC 9457)`, async (t) => {
    const { status, headers, json } = await send()
    t.regex(String(headers['content-type']), /^application\/problem\+json/)
    t.like(json, { status, request_id: headers['x-request-id'] })
    for (const field of ['type', 'title', 'detail', 'reason']) t.is(typeof json[field], 'string')
    t.regex(json.reason, /^[A-Z_]+$/)
    t.is('errors' in json, status === 422)
    for (const problem of json.errors ?? [])
      t.deepEqual(Object.keys(problem).toSorted(), ['field', 'message'])
    const names = ['detail', 'errors', 'reason', 'request_id', 'status', 'title', 'type']
    t.deepEqual(
      Object.keys(json).filter((field) => !names.includes(field)),
      [],
    )
    if (status !== 401) t.is(headers['www-authenticate'], undefined)
  })
}

test('a client X-Request-ID of 1 to 128 letters, digits, dots, underscores and hyphens is returned unchanged', async (t) => {
  const echoed = async (id: string) => {
    const { headers } = await get('/nothing', { 'x-request-id': id })
    return headers['x-request-id'] === id
  }
  for (const id of ['a', 'A-1_b.c', 'x'.repeat(128), '..']) t.true(await echoed(id), id)
  for (const id of ['', 'x'.repeat(129), 'a b', 'a/b', 'a,b', '<script>', 'ä', "a'", 'a:b', '{}'])
    t.false(await echoed(id), id)
})

test('WWW-Authenticate names an error only for an invalid token', async (t) => {
  const check = async (headers: Record<string, string>) => {
    const options = { method: 'POST', path: '/permissions/check', headers }
    const response = await sendRawHttp(environment.httpPort, options)
    t.is(response.status, 401)
    return String(response.headers['www-authenticate'])
  }
  t.regex(await check({}), /^Bearer realm="daikon"$/)
  t.regex(await check({ authorization: 'Bearer x' }), /^Bearer .*error="invalid_token"/)
})

test('a repeated X-Request-ID is replaced', async (t) => {
  const headers = ['x-request-id', 'one', 'x-request-id', 'two', 'host', 'localhost']
  const response = await sendRawHttp(environment.httpPort, { path: '/nothing', headers })
  t.regex(String(response.headers['x-request-id']), /^[0-9a-f-]{36}$/)
})

test('a token of 15,000 characters is accepted', async (t) => {
  const headers = { authorization: `Bearer ${'x'.repeat(15_000)}` }
  t.is((await sendRawHttp(environment.httpPort, { path: '/users/me', headers })).status, 401)
})

test('responses written by Node itself have the security headers', async (t) => {
  const headers = { 'x-long': 'x'.repeat(70_000) }
  const response = await sendRawHttp(environment.httpPort, { path: '/health', headers })
  t.is(response.status, 431)
  t.like(response.headers, security)
})

test('COOKIE_SECURE controls Strict-Transport-Security', async (t) => {
  const name = 'strict-transport-security'
  const requests = [
    { path: '/health' },
    { path: '/nothing' },
    { path: '/health', headers: { 'x-long': 'x'.repeat(20_000) } },
    { path: '/health', headers: { expect: 'the impossible' } },
    { path: '/health', method: 'OPTIONS' },
    { path: '/docs/ui.css' },
  ]
  for (const request of requests) {
    t.like((await sendRawHttp(environment.httpPort, request)).headers, { ...security, ...hsts })
    t.is((await sendRawHttp(plain.httpPort, request)).headers[name], undefined)
  }
})

test('only the hosts of BASE_URL and ADMIN_URL are allowed, except at /health', async (t) => {
  const own = await environment.addNode({
    ALLOWED_HOSTS: [],
    BASE_URL: 'https://id.example',
    ADMIN_URL: 'https://admin.example:9004',
  })
  const status = async (port: number, headers: Record<string, string> | string[], path = '/x') => {
    const response = await sendRawHttp(port, { path, headers })
    if (response.status === 400) t.is(response.json.reason, 'HOST_NOT_ALLOWED')
    return response.status
  }
  for (const host of ['id.example', 'ID.example:8000', 'admin.example', 'admin.example:1'])
    t.is(await status(own.httpPort, { host }), 404, host)
  const strangers = [
    'evil.example',
    'id.example.evil',
    'xid.example',
    'id.example@evil',
    '[::1]',
    '*',
  ]
  for (const host of [...strangers, '', 'id.example:', 'id.example:x', 'localhost']) {
    t.is(await status(own.httpPort, { host }), 400, host)
    t.is(await status(own.httpPort, { host }, '/health'), 200, host)
  }
  t.is(await status(own.httpPort, ['host', 'id.example', 'host', 'evil.example']), 400)
  t.is(await status(environment.httpPort, { host: 'evil.example' }), 404)

  const named = await environment.addNode({ ALLOWED_HOSTS: ['other.example', '[::1]'] })
  for (const host of ['other.example', '[::1]:8000'])
    t.is(await status(named.httpPort, { host }), 404)
  t.is(await status(named.httpPort, { host: 'localhost' }), 400)
})
