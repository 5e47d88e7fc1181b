import { randomUUID } from 'node:crypto'
import { type BinaryWriter, BinaryWriter as Writer } from '@bufbuild/protobuf/wire'
import test from 'ava'
import { UpdateMeRequest } from '../../gen/daikon/v1/users.ts'
import { CreateWorkspaceRequest } from '../../gen/daikon/v1/workspaces.ts'
import type { Role } from '../../src/core/roles.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { expectOk } from '../support/outcome.ts'
import { sendRawGrpc } from '../support/raw-requests.ts'
import {
  createRequestFixture,
  findRowsContaining,
  normalizeOutcome,
  normalizeText,
  type RequestFixture,
} from '../support/request-fixture.ts'
import { readResponse } from '../support/rest-client.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome, PresentedCredentials, Transport } from '../support/transports.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

/** Methods that somebody calls with rights of their own. */
const swept = environment.app.operations.filter(({ policy }) =>
  ['user', 'service', 'dual'].includes(policy.tier),
)

/** Administrators' methods that answer alike in two fixtures: not of the whole environment, no key. */
const administered = environment.app.operations.filter(
  ({ service, key }) =>
    service === 'AdminService' &&
    ![
      ...['getStats', 'listActivity', 'listAllWorkspaces', 'listServiceActions'],
      ...['listServiceApps', 'listClientApps', 'createServiceApp', 'rotateServiceApp'],
      'updateServiceApp',
    ].includes(key),
)

/** What somebody would like to be true, about everything and of somebody else. */
function wishes({
  stranger,
  theirGroup,
  alien,
  theirSession,
}: RequestFixture): Record<string, unknown> {
  const { owner } = stranger.people
  const id = owner.id
  return {
    ...{ id, user_id: id, sub: id, actor_id: id, owner_id: id, created_by: id, granted_by: id },
    ...{ wid: stranger.workspace, workspace_id: stranger.workspace, group_id: theirGroup },
    ...{ permission_id: alien.id, session_id: theirSession, service_name: stranger.service },
    ...{ is_admin: true, admin: true, is_active: false, role: 'owner', wrole: 'owner' },
    ...{ status: 'active', joined_at: '2000-01-01T00:00:00Z', created_at: '2000-01-01T00:00:00Z' },
    ...{ email: 'wish@example.com', visibility: 'workspace', permission: 'edit', allowed: true },
    ...{ tier: 'public', caller: { user: { id, role: 'owner' } }, has_full_access: true },
    ...JSON.parse('{"__proto__": {"is_admin": true, "role": "owner"}, "constructor": {"name": 1}}'),
  }
}

/** The same where a proxy or a framework might take it from. */
function wishedHeaders(grounds: RequestFixture): Record<string, string> {
  const { id } = grounds.stranger.people.owner
  const { workspace, service } = grounds.stranger
  const names = ['x-user-id', 'user-id', 'user_id', 'x-forwarded-user', 'x-auth-user', 'sub']
  return {
    ...Object.fromEntries(names.map((name) => [name, id])),
    ...{ 'x-workspace-id': workspace, workspace_id: workspace, wid: workspace },
    ...{ 'x-role': 'owner', role: 'owner', 'x-admin': 'true', is_admin: 'true' },
    ...{ 'x-service-name': service, service_name: service, 'x-http-method-override': 'DELETE' },
    ...{
      'x-original-url': '/users/me',
      'x-rewrite-url': '/users/me',
      'x-forwarded-proto': 'https',
    },
  }
}

/** A call with wishes in body, query and headers; through gRPC, whose messages are typed, in metadata. */
async function call(
  transport: Transport,
  operation: DeclaredOperation,
  message: Record<string, unknown>,
  shown: PresentedCredentials,
  grounds: RequestFixture,
): Promise<Outcome> {
  const headers = wishedHeaders(grounds)
  if (transport.name === 'grpc')
    return transport.call(operation.name, message, { ...shown, headers })
  const { route, input } = operation
  const open = input.fields
    .map(({ name }) => name)
    .filter((name) => !route.pathFields.includes(name))
  const wished = Object.entries(wishes(grounds)).filter(([name]) => !open.includes(name))
  const own = Object.entries(message).filter(([name]) => open.includes(name))
  const query = new URLSearchParams()
  for (const [name, value] of [...wished, ...(route.body ? [] : own)]) {
    if (typeof value !== 'object') query.append(name, String(value))
  }
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => String(message[name]))
  const body = Object.fromEntries([...wished, ...(route.body ? own : [])])
  const response = await fetch(`http://127.0.0.1:${environment.httpPort}${path}?${query}`, {
    method: route.verb.toUpperCase(),
    headers: {
      ...{ ...headers, 'content-type': 'application/json' },
      ...(shown.token && { authorization: `Bearer ${shown.token}` }),
      ...(shown.key && { 'x-service-key': shown.key }),
      ...(shown.admin && {
        cookie: `admin_token=${shown.admin}`,
        origin: 'http://localhost:9004',
      }),
    },
    ...(route.verb !== 'get' && { body: JSON.stringify(body) }),
  })
  return readResponse(response, operation)
}

/** Each thing of the grounds by its name, so that two grounds can be compared. */
function namesOf(grounds: RequestFixture): Record<string, string> {
  const { fixture, stranger, values, record, far, alien } = grounds
  const names: Record<string, string> = { [grounds.admin.id]: '<admin>' }
  for (const [whose, place] of Object.entries({ fixture, stranger })) {
    names[place.workspace] = `<${whose}>`
    names[place.service] = `<service of ${whose}>`
    for (const [role, { id }] of Object.entries(place.people)) names[id] = `<${role} of ${whose}>`
  }
  for (const [sort, row] of Object.entries({ record, far, alien })) {
    names[row.id] = `<${sort}>`
    names[row.resource_id] = `<resource of ${sort}>`
  }
  for (const sort of ['theirGroup', 'group', 'session', 'theirSession'] as const)
    names[grounds[sort]] = `<${sort}>`
  for (const sort of ['name', 'slug', 'email']) names[String(values[sort])] = `<${sort}>`
  return names
}

function withNames(text: string, names: Record<string, string>): string {
  return Object.entries(names).reduce((told, [id, name]) => told.replaceAll(id, name), text)
}

/** All that is stored of the two fixtures. */
async function look(grounds: RequestFixture): Promise<string[]> {
  const names = namesOf(grounds)
  const rows = await findRowsContaining(environment, Object.keys(names))
  return rows.map((row) => normalizeText(withNames(row, names))).toSorted()
}

/** An ending, its lists in no order: ids are random. */
function describe(ending: Outcome, grounds: RequestFixture): string {
  const names = namesOf(grounds)
  const sorted = structuredClone(ending)
  for (const value of Object.values(sorted.ok ? sorted.message : {})) {
    if (Array.isArray(value)) value.sort((a, b) => (key(a) < key(b) ? -1 : 1))
  }
  return normalizeOutcome(JSON.parse(withNames(JSON.stringify(sorted), names)))

  function key(item: unknown) {
    return normalizeText(withNames(JSON.stringify(item), names))
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const owners: Role[] = ['owner']
  // Over REST there is more to wish with.
  const all: Role[] = transport.name === 'rest' ? ['owner', 'viewer'] : owners

  for (const operation of [...swept, ...administered]) {
    const method = operation.name
    const callers = ['service', 'admin'].includes(operation.policy.tier) ? owners : all

    // One after the other: on a busy machine all at once wait longer for a connection than calls do.
    test.serial(
      `wishes in body, query and metadata change nothing of ${method} ${over}`,
      async (t) => {
        for (const role of callers) {
          const [modest, greedy] = await Promise.all([
            createRequestFixture(environment, transport),
            createRequestFixture(environment, transport),
          ])
          const ask = (grounds: RequestFixture) => {
            const message = grounds.message(operation)
            return [message, grounds.shown(operation, grounds.fixture.people[role])] as const
          }
          const expected = await transport.call(method, ...ask(modest))
          const ending = await call(transport, operation, ...ask(greedy), greedy)
          t.is(describe(ending, greedy), describe(expected, modest), role)
          t.deepEqual(await look(greedy), await look(modest), role)
          if (role === 'owner') t.true(ending.ok, normalizeOutcome(ending))
        }
      },
    )
  }
}

test('fields that a gRPC message does not declare change nothing', async (t) => {
  const [transport] = environment.transports
  if (!transport) throw new Error('no transport')
  const { fixture, values } = await createRequestFixture(environment, transport)
  const { viewer, owner } = fixture.people
  const shown = { authorization: `Bearer ${viewer.token}` }
  const { name, slug } = values as { name: string; slug: string }
  const unknown = (writer: BinaryWriter) => {
    for (let field = 3; field < 40; field += 1)
      writer.uint32((field << 3) | 2).string(field % 2 ? owner.id : 'owner')
    for (let field = 40; field < 80; field += 1) writer.uint32(field << 3).bool(true)
    return Buffer.from(writer.finish())
  }
  const me = async () => expectOk(await transport.call('GetMe', {}, { token: viewer.token }))
  const before = await me()
  const change = unknown(UpdateMeRequest.encode({ name: 'New' }, new Writer()))
  t.is(
    (await sendRawGrpc(environment.grpcPort, '/daikon.v1.UserService/UpdateMe', change, shown))
      .code,
    0,
  )
  t.deepEqual(await me(), { ...before, name: 'New' })
  const { rows } = await environment.pool.query('select is_admin from users where id = $1', [
    viewer.id,
  ])
  t.deepEqual(rows, [{ is_admin: false }])

  // Field 3 is its description, a text that comes last and so is the one that counts.
  const made = unknown(CreateWorkspaceRequest.encode({ name, slug }, new Writer()))
  const path = '/daikon.v1.WorkspaceService/CreateWorkspace'
  t.is((await sendRawGrpc(environment.grpcPort, path, made, shown)).code, 0)
  const sql = `select m.user_id, m.role from members m join workspaces w on w.id = m.workspace_id
    where w.slug = $1`
  const members = await environment.pool.query(sql, [slug])
  t.deepEqual(members.rows, [{ user_id: viewer.id, role: 'owner' }])
})

test('an answer about another user is none about the caller', async (t) => {
  for (const transport of environment.transports) {
    const { fixture, values } = await createRequestFixture(environment, transport)
    const { people, key } = fixture
    const person = await fixture.addMember('viewer')
    const headers = { 'x-user-id': people.owner.id, user_id: people.owner.id, role: 'owner' }
    const message = { checks: values.checks, user_id: people.owner.id, id: randomUUID() }
    const shown = { key, headers }
    const { results } = expectOk(
      await transport.call('Check', message, { ...shown, token: person.token }),
    )
    t.false(results[0].allowed)
    const asOwner = await transport.call('Check', message, { ...shown, token: people.owner.token })
    t.true(expectOk(asOwner).results[0].allowed)
  }
})
