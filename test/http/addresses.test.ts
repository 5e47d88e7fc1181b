import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const [transport] = environment.transports.filter(({ name }) => name === 'rest') as [Transport]
const fixture = await createWorkspaceFixture(environment, transport)
test.after.always(() => environment.stop())

const { key, kind, people, service } = fixture
const headers = { 'x-service-key': key, authorization: `Bearer ${people.owner.token}` }
const send = (method: string, path: string) =>
  sendRawHttp(environment.httpPort, { method, path, headers })

test('an unknown path returns 404 for every method', async (t) => {
  for (const path of [
    '/permissions',
    '/permissions/resource/a/b',
    '/permissions/check/x',
    '//',
    '/x',
    '/permissions/resource/a/b/c/d',
    '/daikon.v1.PermissionService/Check',
    '/.env',
    '/*',
  ]) {
    for (const method of ['GET', 'POST', 'DELETE', 'OPTIONS']) {
      const { status, json } = await send(method, path)
      t.is(status, 404, `${method} ${path}`)
      t.is(json.reason, 'NO_SUCH_ROUTE')
    }
  }
})

test('an invalid request target returns 404', async (t) => {
  for (const path of ['http://[/x', 'http://a:b/x', 'http://a:99999/users/me']) {
    const { status, headers, json } = await send('GET', path)
    t.is(status, 404, path)
    t.is(json.reason, 'NO_SUCH_ROUTE')
    t.is(headers['x-content-type-options'], 'nosniff')
    t.regex(String(headers['x-request-id']), /./)
  }
  t.is((await send('GET', 'http://localhost/health')).status, 200)
})

test('a method that a path does not support returns 405 with Allow', async (t) => {
  const id = randomUUID()
  for (const [path, allowed] of [
    ['/permissions/check', ['POST']],
    ['/permissions/accessible', ['POST']],
    ['/permissions/register', ['POST']],
    [`/permissions/${id}/share`, ['DELETE', 'POST']],
    [`/permissions/${id}/visibility`, ['PATCH']],
    [`/permissions/${id}`, ['DELETE', 'PATCH']],
    [`/permissions/resource/a/b/${id}`, ['DELETE', 'GET', 'PATCH']],
  ] as const) {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'PROPFIND']) {
      if ((allowed as readonly string[]).includes(method)) continue
      const { status, headers, json } = await send(method, path)
      t.is(status, 405, `${method} ${path}`)
      const allow = String(headers.allow).split(', ')
      t.deepEqual(allow.filter((verb) => !/HEAD|OPTIONS/.test(verb)).toSorted(), allowed)
      t.is(json.reason, 'METHOD_NOT_ALLOWED')
    }
  }
})

test('/health supports only GET', async (t) => {
  t.is((await send('GET', '/health')).status, 200)
  const { status, headers } = await send('POST', '/health')
  t.is(status, 405)
  t.regex(String(headers.allow), /GET/)
})

test('HEAD responds like GET without a body, and returns 405 where GET does', async (t) => {
  const { resource_id } = await fixture.register(people.owner)
  const path = `/permissions/resource/${service}/${kind.resource_type}/${resource_id}`
  const [get, head] = [await send('GET', path), await send('HEAD', path)]
  t.is(get.status, 200)
  t.is(head.status, 200)
  t.is(head.text, '')
  t.is(head.headers['content-length'], get.headers['content-length'])
  const missing = await send('HEAD', path.replace(resource_id, randomUUID()))
  t.is(missing.status, 404)
  t.is(missing.text, '')
  t.is((await send('HEAD', '/permissions/check')).status, 405)
})

test('malformed percent-encoding in the path returns 422', async (t) => {
  for (const bad of ['%', '%zz', '%E0%A4%A', '%c3%28', '%ff', '%u0041']) {
    t.is((await send('GET', `/permissions/resource/${bad}/b/${randomUUID()}`)).status, 422, bad)
    t.is((await send('DELETE', `/permissions/${bad}`)).status, 422, bad)
    t.is((await send('POST', `/permissions/${bad}/share`)).status, 422, bad)
  }
  t.is((await send('GET', '/%')).status, 404)
  t.is((await send('GET', '/health?%zz=%')).status, 200)
})

test('an ID in the path that is not a UUID returns 422', async (t) => {
  for (const bad of ['1', 'x', '%00', '..%2f..', "'%20or%201=1", '%F0%9F%A6%8A', '__proto__']) {
    const { status, json } = await send('DELETE', `/permissions/${bad}`)
    t.is(status, 422, bad)
    t.deepEqual(json.errors, [{ field: 'permission_id', message: 'must be a UUID' }])
  }
  const path = `/permissions/resource/a%00b/c%0Ad/e%07f`
  const fields = (await send('GET', path)).json.errors.map(({ field }: any) => field)
  t.deepEqual(fields.toSorted(), ['resource_id', 'resource_type', 'service_name'])
})

test('query parameters that name fields of the path return 422', async (t) => {
  const record = await fixture.register(people.owner)
  const path = `/permissions/resource/${service}/${kind.resource_type}/${record.resource_id}`
  const query = `?resource_id=${randomUUID()}&service_name=x&__proto__[x]=1&constructor=1`
  const { status, json } = await send('GET', path + query)
  t.is(status, 422)
  const message = 'is not a query parameter of this route; use with_names, with_ancestors'
  t.deepEqual(
    json.errors,
    ['resource_id', 'service_name', '__proto__[x]', 'constructor'].map((field) => ({
      field,
      message,
    })),
  )
})

test('a path of 10,000 characters is handled, one of 100,000 returns 431', async (t) => {
  const long = (length: number) => `/permissions/resource/${'a'.repeat(length)}/b/${randomUUID()}`
  t.is((await send('GET', long(10_000))).status, 422)
  const cut = await send('GET', long(100_000)).catch(() => ({ status: 431 }))
  t.is(cut.status, 431)
  t.is((await send('GET', '/health')).status, 200)
})

test('a repeated authorization header returns 401', async (t) => {
  const { resource_id } = await fixture.register(people.owner)
  const body = JSON.stringify({ checks: [{ ...kind, resource_id, action: 'view' }] })
  const own = headers.authorization
  for (const [first, second] of [
    [own, 'Bearer x'],
    ['Bearer x', own],
    [own, `Bearer ${people.viewer.token}`],
  ] as [string, string][]) {
    const list = ['content-type', 'application/json', 'x-service-key', key, 'host', 'localhost']
    list.push('authorization', first, 'authorization', second)
    list.push('content-length', String(body.length))
    const request = { method: 'POST', path: '/permissions/check', headers: list, body }
    t.is((await sendRawHttp(environment.httpPort, request)).status, 401)
  }
})

test('a repeated service key returns 401', async (t) => {
  const path = `/permissions/resource/${service}/b/${randomUUID()}`
  const list = ['x-service-key', key, 'x-service-key', key, 'host', 'localhost']
  t.is((await sendRawHttp(environment.httpPort, { path, headers: list })).status, 401)
})

test('undeclared headers have no effect', async (t) => {
  const path = `/permissions/resource/${service}/${kind.resource_type}/${randomUUID()}`
  const spoofed = {
    'x-user-id': people.owner.id,
    'x-service-name': service,
    'x-http-method-override': 'DELETE',
    'x-original-url': '/health',
    'x-forwarded-host': 'evil.example',
    'x-admin': 'true',
  }
  const response = await sendRawHttp(environment.httpPort, { path, headers: spoofed })
  t.is(response.status, 401)
  t.is(
    (await sendRawHttp(environment.httpPort, { path, headers: { ...headers, ...spoofed } })).status,
    404,
  )
})

test.after('no internal error was logged', (t) => {
  t.deepEqual(environment.failures, [])
})
