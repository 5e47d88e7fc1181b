import { randomUUID } from 'node:crypto'
import test from 'ava'
import { expectOk } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'

// The requests of the AuthZEN Authorization API 1.0 certification scenario for the levels Basic
// Core, Batch Core, Search Core and Discovery, run on the fixture that the scenario requires.

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

const rest = environment.transports.find(({ name }) => name === 'rest') as Transport
let key = ''
test.before(createFixture)

const alice = { type: 'user', id: 'alice' }
const bob = { type: 'user', id: 'bob' }
const read = { name: 'read' }
const write = { name: 'write' }
const record = { type: 'record' }
const record1 = { type: 'record', id: 'record-1' }
const record2 = { type: 'record', id: 'record-2' }
const context = { time: '2025-06-27T18:03-07:00', ip: '192.168.1.1' }

/** Alice owns both records; both are visible to Bob, who has a custom role for `read`. */
async function createFixture(): Promise<void> {
  const { seed } = environment
  key = (await seed.serviceApp('records')).key
  const workspace = await seed.workspace()
  const [aliceId, bobId] = [
    await seed.user('alice', { external_id: 'alice' }),
    await seed.user('bob', { external_id: 'bob' }),
  ]
  await seed.member(workspace, aliceId, 'editor')
  await seed.member(workspace, bobId, 'viewer')
  const readId = await seed.serviceAction('records', 'read')
  await seed.serviceAction('records', 'write')
  await seed.serviceAction('records', 'delete')
  await seed.customRole(workspace, [readId], [bobId])
  for (const external_id of ['record-1', 'record-2']) {
    const resource = { service_name: 'records', resource_type: 'record', external_id }
    const facts = { workspace_id: workspace, owner_id: aliceId, visibility: 'workspace' }
    expectOk(await rest.call('Register', { ...resource, ...facts }, { key }))
  }
}

type Reply = { status: number; headers: Headers; body: any }

async function post(path: string, body: unknown, headers: object = {}): Promise<Reply> {
  const response = await fetch(`http://127.0.0.1:${environment.httpPort}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-service-key': key, ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text && JSON.parse(text) }
}

const evaluate = (body: unknown, headers = {}) => post('/access/v1/evaluation', body, headers)
const evaluateBatch = (body: unknown) => post('/access/v1/evaluations', body)
const search = (type: string, body: unknown) => post(`/access/v1/search/${type}`, body)

const ids = ({ body }: Reply) => body.results.map(({ id }: { id: string }) => id)
const names = ({ body }: Reply) => body.results.map(({ name }: { name: string }) => name)
const decisions = ({ body }: Reply) =>
  body.evaluations.map(({ decision }: { decision: boolean }) => decision)

const evaluation = { subject: alice, action: read, resource: record1 }

test('Basic Core: evaluations return the expected decisions', async (t) => {
  const cases: [object, boolean][] = [
    [evaluation, true],
    [{ ...evaluation, action: write }, true],
    [{ ...evaluation, subject: bob }, true],
    [{ ...evaluation, subject: bob, action: write }, false],
    [{ ...evaluation, context }, true],
    [{ ...evaluation, foo: 'bar', futureField: { nested: true } }, true],
    [
      {
        subject: { ...alice, properties: { department: 'Sales', role: 'manager' } },
        action: { ...read, properties: { method: 'GET' } },
        resource: { ...record1, properties: { status: 'active', owner: 'bob' } },
      },
      true,
    ],
  ]
  for (const [body, decision] of cases) {
    const reply = await evaluate(body)
    t.is(reply.status, 200)
    t.regex(reply.headers.get('content-type') ?? '', /^application\/json/)
    t.deepEqual(reply.body, { decision })
  }
})

test('Basic Core: invalid requests return 400', async (t) => {
  const without = (entity: keyof typeof evaluation, member?: string) => {
    const { [entity]: removed, ...rest } = evaluation
    if (!member) return rest
    const { [member]: _, ...remaining } = removed as Record<string, unknown>
    return { ...evaluation, [entity]: remaining }
  }
  const bodies: unknown[] = [
    without('subject'),
    without('action'),
    without('resource'),
    without('subject', 'type'),
    without('subject', 'id'),
    without('action', 'name'),
    without('resource', 'type'),
    without('resource', 'id'),
    { ...evaluation, subject: 'alice' },
    { ...evaluation, action: { name: 123 } },
    { ...evaluation, context: 'now' },
    { ...evaluation, subject: { ...alice, properties: [] } },
    { ...evaluation, resource: { type: 'record', id: 'x'.repeat(256) } },
    { ...evaluation, subject: { type: 'user', id: 'x'.repeat(256) } },
    '{"subject": ',
    '',
    '[]',
  ]
  for (const body of bodies) {
    const reply = await evaluate(body)
    t.is(reply.status, 400, JSON.stringify(body))
    t.is(reply.body.status, 400)
    t.is(typeof reply.body.detail, 'string')
  }
  for (const type of ['text/plain', 'application/xml', 'application/x-www-form-urlencoded'])
    t.is((await evaluate(evaluation, { 'content-type': type })).status, 400, type)
})

test('Basic Core: X-Request-ID is returned, and repeated requests return the same decision', async (t) => {
  const id = randomUUID()
  t.is((await evaluate(evaluation, { 'x-request-id': id })).headers.get('x-request-id'), id)
  t.is((await evaluate('', { 'x-request-id': id })).headers.get('x-request-id'), id)
  const replies = await Promise.all(Array.from({ length: 5 }, () => evaluate(evaluation)))
  t.true(replies.every(({ body }) => body.decision === true))
})

test('any X-Request-ID that a header may carry is returned as sent', async (t) => {
  const send = async (id: string, method = 'POST', path = '/access/v1/evaluation', text = '') => {
    // With a text body, Node would encode the headers as UTF-8.
    const body = Buffer.from(text)
    const headers = { 'content-type': 'application/json', 'x-service-key': key, 'x-request-id': id }
    const response = await sendRawHttp(environment.httpPort, { method, path, headers, body })
    const { status, json } = response
    if (status >= 400) t.is(json.request_id, response.headers['x-request-id'])
    return { status, id: response.headers['x-request-id'] }
  }
  const ids = [
    'a b/c?d=e&f',
    '{"trace":"1"}',
    '<script>',
    `a, b; c="d"`,
    'tab\tin it',
    'caf\xe9 \x9b',
  ]
  for (const id of [...ids, 'x'.repeat(1024)]) {
    const body = JSON.stringify(evaluation)
    t.deepEqual(await send(id, 'POST', '/access/v1/evaluation', body), { status: 200, id })
    t.deepEqual(await send(id), { status: 400, id })
    t.deepEqual(await send(id, 'GET'), { status: 405, id })
    t.deepEqual(await send(id, 'GET', '/access/v1/nothing'), { status: 404, id })
    t.not((await send(id, 'GET', '/accessible')).id, id)
  }
  t.regex(String((await send('x'.repeat(1025))).id), /^[0-9a-f-]{36}$/)
})

test('the service key is required and is accepted as a bearer token', async (t) => {
  const url = `http://127.0.0.1:${environment.httpPort}/access/v1/evaluation`
  const send = (headers: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(evaluation),
    })
  t.is((await send({ authorization: `Bearer ${key}` })).status, 200)
  t.is((await send({ authorization: 'Bearer dk_wrong' })).status, 401)
  t.is((await send({ authorization: 'Bearer other' })).status, 401)
  t.is((await send({})).status, 401)
  t.is((await send({ authorization: `Bearer ${key}`, 'x-service-key': 'dk_wrong' })).status, 401)
  const other = await fetch(`http://127.0.0.1:${environment.httpPort}/permissions/actions`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${key}` },
    body: JSON.stringify({ service_name: 'records', actions: [{ name: 'x' }] }),
  })
  t.is(other.status, 401)
})

test('Batch Core: a batch has one result for each evaluation, in order', async (t) => {
  const resources = await evaluateBatch({
    subject: alice,
    action: read,
    evaluations: [{ resource: record1 }, { resource: record2 }],
  })
  t.is(resources.status, 200)
  t.deepEqual(decisions(resources), [true, true])
  t.false('decision' in resources.body)

  const actions = await evaluateBatch({
    subject: bob,
    resource: record1,
    evaluations: [{ action: read }, { action: write }],
  })
  t.deepEqual(decisions(actions), [true, false])

  const complete = await evaluateBatch({
    evaluations: [evaluation, { subject: bob, action: write, resource: record1 }],
  })
  t.deepEqual(decisions(complete), [true, false])

  const contexts = await evaluateBatch({
    subject: alice,
    action: read,
    context: { time: context.time },
    evaluations: [{ resource: record1 }, { resource: record2, context: { source: 'override' } }],
  })
  t.is(decisions(contexts).length, 2)

  const defaults = await evaluateBatch({
    ...evaluation,
    action: write,
    evaluations: [{}, { subject: bob }],
  })
  t.deepEqual(decisions(defaults), [true, false])
})

test('Batch Core: an invalid item is denied with its error, and the others are decided', async (t) => {
  const reply = await evaluateBatch({
    subject: alice,
    action: read,
    options: { evaluations_semantic: 'execute_all' },
    evaluations: [
      { resource: record1 },
      {},
      { resource: 'record-1' },
      { resource: { type: 'record' } },
      { resource: { type: 'record', id: 'x'.repeat(256) } },
      null,
      { resource: record1, context: 'now' },
      { resource: record1 },
    ],
  })
  t.is(reply.status, 200)
  t.deepEqual(decisions(reply), [true, false, false, false, false, false, false, true])
  t.deepEqual(reply.body.evaluations[1].context, {
    error: {
      status: 400,
      message: 'resource is required',
      errors: [{ field: 'resource', message: 'is required' }],
    },
  })
})

test('Batch Core: a request without evaluations is a single evaluation', async (t) => {
  t.deepEqual((await evaluateBatch(evaluation)).body, { decision: true })
  t.deepEqual((await evaluateBatch({ ...evaluation, evaluations: [] })).body, { decision: true })
  t.is((await evaluateBatch({ subject: alice, action: read })).status, 400)
  t.is((await evaluateBatch({ subject: alice, evaluations: [] })).status, 400)
})

test('evaluations_semantic ends the batch at the deciding result', async (t) => {
  const send = (evaluations_semantic: string, actions: object[]) =>
    evaluateBatch({
      subject: bob,
      resource: record1,
      options: { evaluations_semantic },
      evaluations: actions.map((action) => ({ action })),
    })
  const first = 'permit_on_first_permit'
  t.deepEqual(decisions(await send('deny_on_first_deny', [read, write, read])), [true, false])
  t.deepEqual(decisions(await send('deny_on_first_deny', [read, read])), [true, true])
  t.deepEqual(decisions(await send(first, [write, read, read])), [false, true])
  t.deepEqual(decisions(await send(first, [write, write])), [false, false])
  t.is((await send('first', [read])).status, 400)
})

test('a batch has at most 1,000 evaluations', async (t) => {
  const send = (length: number) =>
    evaluateBatch({ ...evaluation, evaluations: Array.from({ length }, () => ({})) })
  t.is(decisions(await send(1000)).length, 1000)
  t.is((await send(1001)).status, 400)
})

test('Search Core: a subject search returns the users who may perform the action', async (t) => {
  const body = { subject: { type: 'user' }, action: read, resource: record1 }
  for (const request of [body, { ...body, context }, { ...body, subject: alice }]) {
    const reply = await search('subject', request)
    t.is(reply.status, 200)
    t.deepEqual(ids(reply).toSorted(), ['alice', 'bob'])
    t.true(reply.body.results.every(({ type }: { type: string }) => type === 'user'))
    t.deepEqual(reply.body.page, { next_token: '', count: 2 })
  }
})

test('Search Core: a resource search returns the resources that the subject may access', async (t) => {
  const body = { subject: alice, action: read, resource: record }
  for (const request of [body, { ...body, context }, { ...body, resource: record1 }]) {
    const reply = await search('resource', request)
    t.is(reply.status, 200)
    t.deepEqual(ids(reply).toSorted(), ['record-1', 'record-2'])
    t.true(reply.body.results.every(({ type }: { type: string }) => type === 'record'))
  }
})

test('Search Core: an action search returns the actions that the subject may perform', async (t) => {
  const body = { subject: alice, resource: record1 }
  for (const request of [body, { ...body, context }])
    t.deepEqual(names(await search('action', request)), [
      'delete',
      'edit',
      'manage',
      'read',
      'view',
      'write',
    ])
  t.deepEqual(names(await search('action', { ...body, subject: bob })), ['read', 'view'])
})

test('Search Core: results are paginated', async (t) => {
  const requests = {
    subject: { subject: { type: 'user' }, action: read, resource: record1 },
    resource: { subject: alice, action: read, resource: record },
    action: { subject: bob, resource: record1 },
  }
  for (const [type, request] of Object.entries(requests)) {
    const first = await search(type, { ...request, page: { limit: 1 } })
    t.is(first.body.results.length, 1)
    t.true(first.body.page.next_token.length > 0)
    const token = first.body.page.next_token
    const second = await search(type, { ...request, page: { token } })
    t.is(second.body.results.length, 1)
    t.notDeepEqual(second.body.results, first.body.results)
    t.is(second.body.page.next_token, '')
    for (const page of [{ limit: 0 }, { limit: 1001 }, { token: 'x' }, { token: 1 }, 'x'])
      t.is((await search(type, { ...request, page })).status, 400, JSON.stringify(page))
    const whole = await search(type, request)
    t.deepEqual((await search(type, { ...request, page: { token: '' } })).body, whole.body)
    t.deepEqual((await search(type, { ...request, page: { token, limit: 1 } })).body, second.body)
    for (const limit of [2, 1000]) {
      const reply = await search(type, { ...request, page: { token, limit } })
      t.is(reply.status, 400)
      t.deepEqual(reply.body.errors, [
        { field: 'page.limit', message: 'must be absent or 1, the limit of the previous page' },
      ])
    }
    const changed = { ...request, resource: { type: 'record', id: 'other' }, action: write }
    const other = { ...changed, subject: { type: 'user', id: 'carol' }, page: { token } }
    t.is((await search(type, other)).status, 400)
    const [digest, limit, ...cursor] = JSON.parse(Buffer.from(token, 'base64url').toString())
    const forgeries = [
      [digest, -1, ...cursor],
      [digest, 0.5, ...cursor],
      [digest, 1001, ...cursor],
      [digest, limit, '\0'],
      [digest, limit, ...cursor, 'x'],
      ...(type === 'action' ? [] : [[digest, limit, 'x']]),
    ]
    for (const forgery of forgeries) {
      const forged = Buffer.from(JSON.stringify(forgery)).toString('base64url')
      const response = await search(type, { ...request, page: { token: forged } })
      t.is(response.status, 400, JSON.stringify([type, forgery]))
    }
  }
})

test('Search Core: searches for unknown entities return no results', async (t) => {
  const unknown = { type: 'user', id: 'nonexistent-user' }
  const spaceship = { type: 'spaceship', id: 'x' }
  const cases: [string, object][] = [
    ['action', { subject: unknown, resource: record1 }],
    ['action', { subject: spaceship, resource: record1 }],
    ['action', { subject: alice, resource: spaceship }],
    ['subject', { subject: spaceship, action: read, resource: record1 }],
    ['subject', { subject: { type: 'spaceship' }, action: read, resource: record1 }],
    ['subject', { subject: { type: 'user' }, action: read, resource: spaceship }],
    ['subject', { subject: { type: 'user' }, action: { name: 'fly' }, resource: record1 }],
    ['resource', { subject: unknown, action: read, resource: record }],
    ['resource', { subject: alice, action: read, resource: { type: 'spaceship' } }],
    ['resource', { subject: alice, action: { name: 'fly' }, resource: record }],
  ]
  for (const [type, request] of cases) {
    const reply = await search(type, request)
    t.is(reply.status, 200)
    t.deepEqual(reply.body.results, [])
  }
})

test('Search Core: missing members return 400', async (t) => {
  const cases: [string, object][] = [
    ['subject', { subject: { type: 'user' }, resource: record1 }],
    ['resource', { action: read, resource: record }],
    ['action', { subject: alice }],
    ['subject', { subject: { type: 'user' }, action: read, resource: record }],
    ['resource', { subject: { type: 'user' }, action: read, resource: record }],
    ['action', { subject: { type: 'user' }, resource: record1 }],
  ]
  for (const [type, request] of cases) t.is((await search(type, request)).status, 400)
})

test('properties are accepted and have no effect, because the Properties levels are not supported', async (t) => {
  const admin = { ...bob, properties: { role: 'admin' } }
  const archived = { ...record2, properties: { status: 'archived' } }
  const remove = (soft: boolean) => ({ name: 'delete', properties: { soft } })
  const evaluations = [
    { subject: alice, action: write, resource: archived },
    { subject: admin, action: write, resource: archived },
    { subject: alice, action: remove(true), resource: record1 },
    { subject: alice, action: remove(false), resource: record1 },
  ]
  const decided = [true, false, true, true]
  t.deepEqual(decisions(await evaluateBatch({ evaluations })), decided)
  for (const [index, body] of evaluations.entries())
    t.deepEqual((await evaluate(body)).body, { decision: decided[index] })
  const writers = { subject: { type: 'user' }, action: write, resource: archived }
  t.deepEqual(ids(await search('subject', writers)), ['alice'])
  t.deepEqual(
    ids(await search('resource', { subject: admin, action: write, resource: record })),
    [],
  )
  t.deepEqual(names(await search('action', { subject: admin, resource: archived })), [
    'read',
    'view',
  ])
})

test('Discovery: the metadata lists the endpoints', async (t) => {
  const url = `http://127.0.0.1:${environment.httpPort}/.well-known/authzen-configuration`
  const response = await fetch(url)
  t.is(response.status, 200)
  t.regex(response.headers.get('content-type') ?? '', /^application\/json/)
  const base = 'http://localhost:8000'
  t.deepEqual(await response.json(), {
    policy_decision_point: base,
    access_evaluation_endpoint: `${base}/access/v1/evaluation`,
    access_evaluations_endpoint: `${base}/access/v1/evaluations`,
    search_subject_endpoint: `${base}/access/v1/search/subject`,
    search_resource_endpoint: `${base}/access/v1/search/resource`,
    search_action_endpoint: `${base}/access/v1/search/action`,
  })
})
