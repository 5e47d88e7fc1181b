import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createClientApp, updateClientApp } from '../../src/admin/client-apps.ts'
import { createOutboundHosts } from '../../src/outbound/outbound-hosts.ts'
import { createStores } from '../../src/server/stores.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const corsOrigins = ['http://localhost:3000', 'http://localhost:9101']
const environment = await startTestEnvironment({
  CORS_ORIGINS: corsOrigins,
  RATE_LIMIT_PER_MINUTE: 1000,
})
const second = await environment.addNode({ RATE_LIMIT_PER_MINUTE: 3 })
const { database } = environment
test.after.always(() => environment.stop())

const get = (origin: string, path = '/users/me', port = environment.httpPort) =>
  sendRawHttp(port, { path, headers: { origin } })
const preflight = (origin: string, path = '/users/me', port = environment.httpPort) =>
  sendRawHttp(port, {
    method: 'OPTIONS',
    path,
    headers: { origin, 'access-control-request-method': 'PATCH' },
  })
const isAllowed = async (origin: string, path?: string, port?: number) => {
  const { headers } = await get(origin, path, port)
  const { status } = await preflight(origin, path, port)
  const allowed = headers['access-control-allow-origin'] === origin
  if (allowed !== (status === 204)) throw new Error('The preflight contradicts the response')
  return allowed
}
const operator = async () => ({
  stores: createStores(database.fork()),
  principal: {},
  debug: true,
  backchannelHosts: createOutboundHosts({ allowed: [], debug: true }),
})
const register = async (...redirect_uris: string[]) =>
  createClientApp(await operator(), {
    name: randomUUID(),
    redirect_uris,
    post_logout_redirect_uris: [],
  })

test('a preflight of an allowed origin succeeds with the CORS headers', async (t) => {
  const { status, headers } = await preflight('http://localhost:3000')
  t.is(status, 204)
  t.like(headers, {
    'access-control-allow-origin': 'http://localhost:3000',
    'access-control-allow-credentials': 'true',
    'access-control-allow-methods': 'GET,POST,PUT,PATCH,DELETE,OPTIONS',
    'access-control-allow-headers': 'Content-Type,Authorization,X-Service-Key',
    server: 'daikon',
  })
  t.regex(String(headers.vary), /^Origin(,|$)/)
})

test('the OAuth endpoints that browsers call allow X-Requested-With', async (t) => {
  const allowedAt = async (path: string) =>
    (await preflight('http://localhost:3000', path)).headers['access-control-allow-headers']
  for (const path of ['/oauth/token', '/oauth/userinfo', '/oauth/revoke', '/OAuth/Token/'])
    t.is(await allowedAt(path), 'Content-Type,Authorization,X-Service-Key,X-Requested-With')
  for (const path of ['/auth/token', '/oauth/introspect', '/users/me'])
    t.is(await allowedAt(path), 'Content-Type,Authorization,X-Service-Key')
})

test('OPTIONS without Access-Control-Request-Method is not a preflight and fails like any other method', async (t) => {
  const origin = 'http://localhost:3000'
  for (const path of ['/users/me', '/health', '/nothing']) {
    const { status, headers } = await sendRawHttp(environment.httpPort, {
      method: 'OPTIONS',
      path,
      headers: { origin },
    })
    t.is(status, path === '/nothing' ? 404 : 405, path)
    t.is(headers['access-control-allow-origin'], origin, path)
  }
  t.is((await preflight(origin, '/health')).status, 204)
})

test('every response to an allowed origin has the CORS headers; every response varies by Origin', async (t) => {
  for (const path of ['/users/me', '/nothing', '/.well-known/jwks.json', '/health']) {
    const { headers } = await get('http://localhost:9101', path)
    t.is(headers['access-control-allow-origin'], 'http://localhost:9101')
    t.is(headers['access-control-allow-credentials'], 'true')
    t.regex(String(headers['access-control-expose-headers']), /Retry-After.*X-Request-ID/)
    t.regex(String(headers.vary), /Origin/)
  }
  t.regex(
    String((await sendRawHttp(environment.httpPort, { path: '/users/me' })).headers.vary),
    /Origin/,
  )
})

test('other origins get no CORS headers', async (t) => {
  for (const origin of [
    'https://evil.example',
    'null',
    'http://localhost:3001',
    'https://localhost:3000',
    'http://localhost:3000.evil.example',
    'HTTP://LOCALHOST:3000',
    '*',
    "' or 1=1 --",
  ]) {
    const responses = [await get(origin), await preflight(origin)]
    t.deepEqual(
      responses.map(({ status }) => status),
      [401, 405],
      origin,
    )
    for (const { headers } of responses)
      t.deepEqual(
        Object.keys(headers).filter((name) => name.startsWith('access-')),
        [],
      )
  }
})

test('changes of client apps apply at once, on every node', async (t) => {
  const port = (await environment.addNode()).httpPort
  const origin = 'https://app.example.com'
  t.false(await isAllowed(origin, undefined, port))
  const { id } = await register(
    'HTTPS://App.Example.com:443/callback?x=1',
    'http://plain.example:80',
  )
  t.true(await isAllowed(origin, undefined, port))
  t.true(await isAllowed('http://plain.example', undefined, port))
  for (const other of [
    'http://app.example.com',
    'https://app.example.com:444',
    'https://example.com',
  ])
    t.false(await isAllowed(other, undefined, port), other)
  const gone = {
    client_app_id: id,
    redirect_uris: [],
    post_logout_redirect_uris: [],
    is_active: false,
  }
  await updateClientApp(await operator(), gone)
  t.false(await isAllowed(origin, undefined, port))
  t.false(await isAllowed(origin))
})

test('the origin of a redirect URI includes its host and port', async (t) => {
  const origins = ['https://a.example:8443', 'http://127.0.0.1:5173', 'http://[::1]:3000']
  await register(...origins.map((origin) => `${origin}/?next=https://b.example`))
  for (const origin of origins) t.true(await isAllowed(origin), origin)
  t.false(await isAllowed('https://b.example'))
  t.true(await isAllowed('https://a.example:8443', '/health'))
  const { headers } = await get('https://b.example', '/health')
  t.is(headers['access-control-allow-origin'], undefined)
})

test('administrator routes allow only ADMIN_URL', async (t) => {
  await register('https://greedy.example/callback')
  for (const path of [
    '/admin',
    '/admin/users',
    '/ADMIN/users',
    '/auth/admin/me',
    '/Auth/Admin/me',
  ]) {
    t.true(await isAllowed('http://localhost:9004', path), path)
    for (const origin of ['http://localhost:3000', 'https://greedy.example'])
      t.false(await isAllowed(origin, path), path)
  }
  t.false(await isAllowed('http://localhost:9004', '/users/me'))
  t.true(await isAllowed('https://greedy.example', '/administrators'))
})

test('the console may read /health, totals and ETags, and send If-Match', async (t) => {
  const origin = 'http://localhost:9004'
  const { status, headers } = await get(origin, '/health')
  t.is(status, 200)
  t.is(headers['access-control-allow-origin'], origin)
  t.true(await isAllowed(origin, '/health'))
  t.false(await isAllowed('https://evil.example', '/health'))
  const exposed = async (from: string, path: string) =>
    String((await get(from, path)).headers['access-control-expose-headers'])
  t.regex(
    await exposed(origin, '/admin/users'),
    /X-Request-ID,X-Total-Count,X-Kept-Elsewhere,ETag$/,
  )
  const allowed = async (from: string, path: string) =>
    String((await preflight(from, path)).headers['access-control-allow-headers'])
  t.regex(await allowed(origin, '/admin/users'), /,If-Match$/)
  t.notRegex(await allowed('http://localhost:3000', '/users/me'), /If-Match/)
  t.regex(await exposed('http://localhost:3000', '/users/me'), /X-Request-ID$/)
})

test('preflights do not count against the limit; a 429 has the CORS headers', async (t) => {
  const origin = corsOrigins[0] as string
  for (let index = 0; index < 5; index += 1)
    t.is((await preflight(origin, '/users/me', second.httpPort)).status, 204)
  for (let index = 0; index < 3; index += 1)
    t.is((await get(origin, '/users/me', second.httpPort)).status, 401)
  const { status, headers } = await get(origin, '/users/me', second.httpPort)
  t.is(status, 429)
  t.is(headers['access-control-allow-origin'], origin)
  t.is((await preflight('https://evil.example', '/users/me', second.httpPort)).status, 429)
})

test('requests over the limit do not read the origins of client apps', async (t) => {
  const { httpPort } = await environment.addNode({ RATE_LIMIT_PER_MINUTE: 2 })
  const origin = 'https://limited.example.com'
  await register(`${origin}/callback`)
  for (let index = 0; index < 2; index += 1)
    t.true(
      (await get(origin, '/users/me', httpPort)).headers['access-control-allow-origin'] === origin,
    )
  for (let index = 0; index < 2; index += 1)
    t.is((await preflight(origin, '/users/me', httpPort)).status, 204)
  const refused = [
    await get(origin, '/users/me', httpPort),
    await preflight(origin, '/users/me', httpPort),
  ]
  for (const { status, headers } of refused) {
    t.is(status, 429)
    t.is(headers['access-control-allow-origin'], undefined)
  }
})
