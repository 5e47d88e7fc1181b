import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { gzipSync } from 'node:zlib'
import test from 'ava'
import { type RawResponse, sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type WorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const [transport] = environment.transports.filter(({ name }) => name === 'rest') as [Transport]
const fixture: WorkspaceFixture = await createWorkspaceFixture(environment, transport)
test.after.always(() => environment.stop())

const { kind, workspace, people, key } = fixture
const credentials = { authorization: `Bearer ${people.owner.token}`, 'x-service-key': key }
const item = { ...kind, resource_id: randomUUID(), action: 'view' }
const facts = {
  ...kind,
  resource_id: randomUUID(),
  workspace_id: workspace,
  owner_id: people.owner.id,
}

function post(body: string | Buffer, headers: Record<string, string> = {}, path = 'check') {
  const all = { 'content-type': 'application/json', ...credentials, ...headers }
  return sendRawHttp(environment.httpPort, {
    method: 'POST',
    path: new URL(path, 'http://localhost/permissions/').pathname,
    body,
    headers: { ...all, 'content-length': String(Buffer.byteLength(body)) },
  })
}

const fields = ({ json }: RawResponse): string[] =>
  json.errors.map(({ field }: { field: string }) => field).toSorted()

test('wrong JSON types return 422 with a violation for each field', async (t) => {
  const invalid = [null, 1, true, {}, [], ['x'], { $ne: null }, { $gt: '' }]
  for (const value of invalid) {
    const checks = [item, Object.fromEntries(Object.keys(item).map((name) => [name, value]))]
    const response = await post(JSON.stringify({ checks }))
    t.is(response.status, 422)
    t.deepEqual(
      fields(response),
      Object.keys(item)
        .map((name) => `checks[1].${name}`)
        .toSorted(),
    )

    // Null in an optional field means that the field is absent.
    const names = [...Object.keys(facts), ...(value === null ? [] : ['visibility'])]
    const body = JSON.stringify(Object.fromEntries(names.map((name) => [name, value])))
    t.deepEqual(fields(await post(body, {}, 'register')), names.toSorted(), body)
  }
  for (const limit of ['10', 1.5, true, {}, 1e300, [1]]) {
    const body = { ...kind, action: 'view', workspace_id: workspace, limit }
    t.deepEqual(fields(await post(JSON.stringify(body), {}, 'accessible')), ['limit'])
  }
  for (const checks of [null, 'x', 1, {}, { 0: item, length: 1 }]) {
    t.deepEqual(fields(await post(JSON.stringify({ checks }))), ['checks'])
  }
  t.deepEqual(fields(await post(JSON.stringify({ checks: [null, 1, [item], item] }))), [
    'checks[0]',
    'checks[1]',
    'checks[2]',
  ])
})

test('missing fields return 422 with a violation for each field', async (t) => {
  for (const body of ['{}', '', '{"checks":null}']) {
    const response = await post(body)
    t.is(response.status, 422)
    t.deepEqual(fields(response), ['checks'])
  }
  t.deepEqual(fields(await post('{"checks":[{}]}')), [
    'checks[0].action',
    'checks[0].resource_id',
    'checks[0].resource_type',
    'checks[0].service_name',
  ])
  t.deepEqual(fields(await post('{}', {}, 'register')), Object.keys(facts).toSorted())
  t.deepEqual(fields(await post('{}', {}, 'x/share')), ['grantee_id', 'permission_id'])
})

test('malformed JSON and JSON that is not an object return 422', async (t) => {
  for (const body of [
    '{',
    '{"checks":',
    '{"checks":[}',
    "{'checks':[]}",
    '{"a":1}{"a":1}',
    '{"a":01}',
    '\u0000',
    '[]',
    '"x"',
    '1',
    'null',
    'true',
    'undefined',
    '{"a":NaN}',
    '{a:1}',
    '[[]]',
    '\ufeff',
  ]) {
    const response = await post(body)
    t.is(response.status, 422, body)
    t.is(response.json.reason, 'INVALID_REQUEST')
  }
  const cut = Buffer.from('{"checks":"\u00e9"}').subarray(0, 12)
  t.is((await post(cut)).status, 422)
  const latin = await post(Buffer.from('{"checks":"\u00e9"}', 'latin1'))
  t.is(latin.status, 422)
  t.is(latin.json.detail, 'The body is not valid UTF-8')
})

test('malformed JSON without a token returns 401: authentication comes first', async (t) => {
  for (const body of ['{', '', '{}', 'x'.repeat(5_000_000)]) {
    const response = await post(body, { authorization: '', 'x-service-key': key })
    t.is(response.status, 401)
    t.is(response.json.reason, 'TOKEN_MISSING')
    t.is(response.json.errors, undefined)
  }
})

test('a lone surrogate returns 422 in every field', async (t) => {
  const half = 'a\ud800b'
  for (const [path, message] of [
    ['permissions/register', { ...facts, resource_type: half }],
    ['permissions/check', { checks: [{ ...item, action: half }] }],
    [`workspaces/${workspace}/groups`, { name: half }],
    [`workspaces/${workspace}/groups`, { name: 'a', description: half }],
    [`workspaces/${workspace}/members/invite`, { email: `${half}@example.com` }],
    ['workspaces', { name: half, slug: 'half' }],
  ] as const) {
    const response = await post(JSON.stringify(message), {}, `../${path}`)
    t.is(response.status, 422, path)
    t.is(fields(response).length, 1)
  }
})

test('an unauthenticated request is rejected before its body is read', async (t) => {
  const headers = { 'content-type': 'application/json', 'content-length': '1000' }
  const options = { host: '127.0.0.1', port: environment.httpPort, method: 'POST', headers }
  const sent = request({ ...options, path: '/permissions/check' })
  sent.flushHeaders()
  const [response] = await once(sent, 'response')
  t.is(response.statusCode, 401)
  sent.on('error', () => {}).destroy()
})

test('a body of another media type returns 415', async (t) => {
  const body = JSON.stringify({ checks: [item] })
  for (const type of [
    'text/plain',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/xml',
    'application/jsonp',
    'json',
    'x',
    '',
    '*/*',
    'application/json-seq',
  ]) {
    const response = await post(body, { 'content-type': type })
    t.is(response.status, 415, type)
    t.is(response.json.status, 415)
  }
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/x+json'])
    t.is((await post(body, { 'content-type': type })).status, 200, type)
  for (const coding of ['compress', 'x'])
    t.is((await post(body, { 'content-encoding': coding })).status, 415, coding)
  for (const charset of ['x', 'utf-16', 'utf-32'])
    t.is((await post(body, { 'content-type': `application/json; charset=${charset}` })).status, 415)
})

test('a body above 4 MiB, or 256 KiB for most routes, returns 413; a compressed one returns 415', async (t) => {
  const check = JSON.stringify({ checks: [item] })
  const big = check + ' '.repeat(5_000_000)
  t.is((await post(big)).status, 413)
  const fits = check + ' '.repeat(4_000_000)
  t.is((await post(fits)).status, 200)
  t.is(
    (await post(JSON.stringify({ ...facts, note: 'x'.repeat(300_000) }), {}, 'register')).status,
    413,
  )
  for (const packed of [gzipSync(big), gzipSync(fits), Buffer.from('no gzip')])
    t.is((await post(packed, { 'content-encoding': 'gzip' })).status, 415)
})

test('lists or objects nested more than 64 levels deep return 422', async (t) => {
  const lists = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)
  const objects = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`
  const detail = 'The body must be nested at most 64 levels deep'
  for (const levels of [65, 10_000, 100_000]) {
    for (const body of [lists(levels), objects(levels), `{"checks":${lists(levels - 1)}}`])
      t.like((await post(body)).json, { status: 422, detail })
  }
  t.deepEqual(fields(await post(`{"checks":${lists(63)}}`)), ['checks[0]'])
  t.deepEqual(fields(await post(`{"checks":${objects(63)}}`)), ['checks'])
})

test('more than 50,000 values return 422, in lists or in members', async (t) => {
  const detail = 'The body must contain at most 50000 values'
  for (const tiny of ['1', '{}', '[]', '""']) {
    const count = tiny.length === 1 ? 1_500_000 : 1_000_000
    t.like((await post(`{"checks":[${Array(count).fill(tiny).join()}]}`)).json, {
      status: 422,
      detail,
    })
    // With the body and the list themselves, 50,000 values.
    t.deepEqual((await post(`{"checks":[${Array(49_998).fill(tiny).join()}]}`)).json.errors, [
      { field: 'checks', message: 'must contain at most 1000 items' },
    ])
  }
  const members = (count: number) => Array.from({ length: count }, (_, index) => `"k${index}":1`)
  t.like((await post(`{${members(50_000)}}`)).json, { status: 422, detail })
  t.is(fields(await post(`{${members(49_999)}}`)).length, 21)
})

test('limits of a body count neither names nor what strings contain', async (t) => {
  const action = '[{,:"\\'.repeat(20)
  const checks = Array(1000).fill({ ...item, action })
  t.is((await post(JSON.stringify({ checks }, null, 2))).status, 200)
})

test('limits of a body result in 400 on routes of the Access API', async (t) => {
  const headers = { 'content-type': 'application/json', 'x-service-key': key }
  for (const [body, detail] of [
    ['['.repeat(65), 'The body must be nested at most 64 levels deep'],
    [`[${Array(50_000).fill(1)}]`, 'The body must contain at most 50000 values'],
  ] as const) {
    const response = await post(body, headers, '../access/v1/evaluations')
    t.like(response.json, { status: 400, detail })
  }
})

test('__proto__ and constructor are unknown fields and have no effect', async (t) => {
  const text = JSON.stringify(item)
  const evil =
    '"__proto__":{"allowed":true,"limit":1,"isAdmin":true},"constructor":{"prototype":{"x":1}}'
  for (const [body, expected] of [
    [
      `{"checks":[${text.replace('}', `,${evil}}`)}],${evil}}`,
      ['__proto__', 'checks[0].__proto__', 'checks[0].constructor', 'constructor'],
    ],
    [
      `{${evil},"checks":[${text}],"toString":1,"hasOwnProperty":1,"valueOf":null}`,
      ['__proto__', 'constructor', 'hasOwnProperty', 'toString', 'valueOf'],
    ],
    [`{"__proto__":{"checks":[${text}]}}`, ['__proto__', 'checks']],
  ] as const) {
    const response = await post(body)
    t.is(response.status, 422)
    t.deepEqual(fields(response), [...expected])
  }
  t.is(fields(await post('{"checks":[{"__proto__":{"action":"view"}}]}')).length, 5)
  const plain = {} as Record<string, unknown>
  t.is(plain.allowed ?? plain.isAdmin ?? plain.x, undefined)
})
