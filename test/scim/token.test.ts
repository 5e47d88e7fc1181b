import { randomUUID } from 'node:crypto'
import test from 'ava'
import { expectError, expectOk } from '../support/outcome.ts'
import { sendRawGrpc, sendRawHttp } from '../support/raw-requests.ts'
import { createDirectory, seedConnection } from '../support/scim.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

async function readUsers(workspace: string, authorization: string | undefined, port?: number) {
  return sendRawHttp(port ?? environment.httpPort, {
    path: `/scim/v2/${workspace}/Users`,
    headers: authorization === undefined ? {} : { authorization },
  })
}

for (const transport of environment.transports) {
  test(`owners create, rotate and end the token over ${transport.label}`, async (t) => {
    const { workspace, people } = await createWorkspaceFixture(environment, transport)
    const message = { workspace_id: workspace }
    const call = (method: string, { token } = people.owner) =>
      transport.call(method, message, { token })
    t.is(expectError(await call('GetScimToken')).code, 'not_found')
    t.is(expectError(await call('CreateScimToken')).reason, 'NO_VERIFIED_DOMAIN')
    await seedConnection(environment, workspace, `${randomUUID()}.example.org`)
    for (const method of ['GetScimToken', 'CreateScimToken', 'DeleteScimToken', 'ConfirmScim'])
      t.is(expectError(await call(method, people.admin)).reason, 'ROLE_TOO_LOW', method)

    const { token: first } = expectOk(await call('CreateScimToken'))
    t.regex(first, /^ds_[\w-]{49}$/)
    t.is((await readUsers(workspace, `Bearer ${first}`)).status, 200)
    const { token: second, created_at } = expectOk(await call('CreateScimToken'))
    t.is((await readUsers(workspace, `Bearer ${first}`)).status, 401)
    t.is((await readUsers(workspace, `Bearer ${second}`)).status, 200)
    await environment.app.writeKeyUses()
    const described = expectOk(await call('GetScimToken'))
    t.is(described.prefix, second.slice(0, 10))
    t.is(new Date(described.created_at).getTime(), new Date(created_at).getTime())
    t.truthy(described.last_used_at)
    t.like(described, { active_user_count: 0, inactive_user_count: 0 })
    t.false(JSON.stringify(described).includes(second))

    expectOk(await call('DeleteScimToken'))
    t.is((await readUsers(workspace, `Bearer ${second}`)).status, 401)
    t.is(expectError(await call('DeleteScimToken')).code, 'not_found')
  })
}

test('no other credential is accepted, and no other workspace is found', async (t) => {
  const [transport] = environment.transports as [(typeof environment.transports)[0]]
  const { people, key } = await createWorkspaceFixture(environment, transport)
  const one = await createDirectory(environment)
  const other = await createDirectory(environment)
  const altered = `${one.token.slice(0, 20)}${one.token[20] === 'a' ? 'b' : 'a'}${one.token.slice(21)}`
  for (const token of [people.owner.token, key, altered, '', 'ds_x']) {
    const { status, json, headers } = await readUsers(one.workspace, `Bearer ${token}`)
    t.is(status, 401)
    t.deepEqual(json.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
    t.regex(String(headers['www-authenticate']), /^Bearer /)
  }
  t.is((await readUsers(one.workspace, undefined)).status, 401)
  for (const workspace of [one.workspace, randomUUID(), 'x']) {
    const { status, json } = await readUsers(workspace, `Bearer ${other.token}`)
    t.is(status, 404)
    t.is(json.detail, 'Workspace not found')
  }
  t.is((await readUsers(one.workspace.toUpperCase(), `Bearer ${one.token}`)).status, 200)
  const me = { path: '/users/me', headers: { authorization: `Bearer ${one.token}` } }
  t.is((await sendRawHttp(environment.httpPort, me)).status, 401)
})

test('the token of a deleted workspace ends', async (t) => {
  const { workspace, token } = await createDirectory(environment)
  await environment.pool.query('delete from workspaces where id = $1', [workspace])
  t.is((await readUsers(workspace, `Bearer ${token}`)).status, 401)
})

test('a valid token counts in a window of its own, another one by address', async (t) => {
  const node = await environment.addNode({
    RATE_LIMIT_PER_MINUTE: 3,
    SERVICE_RATE_LIMIT_PER_MINUTE: 100,
  })
  const { workspace, token } = await createDirectory(environment)
  const statuses: number[] = []
  for (let index = 0; index < 10; index += 1)
    statuses.push((await readUsers(workspace, `Bearer ${token}`, node.httpPort)).status)
  t.deepEqual([...new Set(statuses)], [200])
  const unknown = `${token.slice(0, -1)}!`
  const refused: number[] = []
  for (let index = 0; index < 4; index += 1)
    refused.push((await readUsers(workspace, `Bearer ${unknown}`, node.httpPort)).status)
  t.is(refused.at(-1), 429)
})

test('the configuration, resource types and schemas describe what is served', async (t) => {
  const { send } = await createDirectory(environment)
  const { body: configuration } = await send('GET', '/ServiceProviderConfig')
  t.like(configuration, {
    patch: { supported: true },
    bulk: { supported: false },
    filter: { supported: true, maxResults: 200 },
    etag: { supported: true },
  })
  const { body: types } = await send('GET', '/ResourceTypes')
  t.deepEqual(
    types.Resources.map(({ endpoint }: { endpoint: string }) => endpoint),
    ['/Users', '/Groups'],
  )
  for (const { id, schema, meta } of types.Resources) {
    t.is((await send('GET', `/ResourceTypes/${id}`)).body.id, id)
    t.true(meta.location.endsWith(`/ResourceTypes/${id}`))
    const found = await send('GET', `/Schemas/${schema}`)
    t.is(found.body.id, schema)
    t.true(found.body.attributes.length > 0)
  }
  t.is((await send('GET', '/Schemas')).body.totalResults, 3)
  t.is((await send('GET', '/Schemas/urn:none')).status, 404)
})

test('SCIM is not served over gRPC', async (t) => {
  const { token } = await createDirectory(environment)
  const path = '/daikon.v1.ScimService/ListScimUsers'
  const headers = { authorization: `Bearer ${token}` }
  const { code } = await sendRawGrpc(environment.grpcPort, path, Buffer.alloc(0), headers)
  t.is(code, 12)
})

test('requests that are no SCIM get errors of SCIM', async (t) => {
  const directory = await createDirectory(environment)
  const { id } = await directory.provision('bob')
  const scimType = async (body: unknown, path = `/Users/${id}`, method = 'PATCH') => {
    const { status, body: error } = await directory.send(method, path, body)
    t.is(status, 400)
    t.is(error.status, '400')
    return error.scimType
  }
  t.is(await scimType([]), 'invalidSyntax')
  t.is(await scimType({}), 'invalidSyntax')
  t.is(await scimType({ Operations: [{ op: 'move' }] }), 'invalidSyntax')
  t.is(await scimType({ Operations: [{ op: 'remove' }] }), 'noTarget')
  t.is(await scimType({ Operations: [{ op: 'add', path: 'a b', value: 1 }] }), 'invalidPath')
  t.is(await scimType({ Operations: [{ op: 'add', path: 'groups', value: [] }] }), 'mutability')
  t.is(await scimType({ Operations: [{ op: 'remove', path: 'userName' }] }), 'invalidValue')
  const active = { op: 'replace', path: 'active', value: 'perhaps' }
  t.is(await scimType({ Operations: [active] }), 'invalidValue')
  const nul = { op: 'add', path: 'title', value: 'a\0b' }
  t.is(await scimType({ Operations: [nul] }), 'invalidValue')
  const many = Array.from({ length: 201 }, () => ({ op: 'remove', path: 'title' }))
  t.is(await scimType({ Operations: many }), 'invalidSyntax')
  const wide = Object.fromEntries(Array.from({ length: 501 }, (_, index) => [`k${index}`, 1]))
  t.is(await scimType({ Operations: [{ op: 'add', value: wide }] }), 'invalidSyntax')
  t.is(
    await scimType({ userName: directory.address('x'), ...wide }, '/Users', 'POST'),
    'invalidSyntax',
  )
  const emails = Array.from({ length: 101 }, (_, index) => ({ value: `${index}` }))
  t.is(await scimType({ Operations: [{ op: 'add', value: { emails } }] }), 'invalidValue')
  const polluted = await directory.send('PATCH', `/Users/${id}`, {
    Operations: [
      { op: 'add', path: '__proto__.admin', value: true },
      { op: 'add', path: 'constructor.prototype', value: 'x' },
      { op: 'add', value: JSON.parse('{"__proto__": {"title": "x"}, "prototype.title": "x"}') },
    ],
  })
  t.is(polluted.status, 200)
  t.false('title' in polluted.body)
  t.is(({} as Record<string, unknown>).title, undefined)
  const text = await sendRawHttp(environment.httpPort, {
    method: 'POST',
    path: `/scim/v2/${directory.workspace}/Users`,
    headers: {
      authorization: `Bearer ${directory.token}`,
      'content-type': 'application/scim+json',
    },
    body: '{',
  })
  t.is(text.status, 400)
  t.is(text.json.scimType, 'invalidSyntax')
})
