import { randomUUID } from 'node:crypto'
import { type BinaryWriter, BinaryWriter as Writer } from '@bufbuild/protobuf/wire'
import test from 'ava'
import { UpdateMeRequest } from '../../gen/daikon/v1/users.ts'
import { CreateWorkspaceRequest } from '../../gen/daikon/v1/workspaces.ts'
import type { Role } from '../../src/core/roles.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { expectOk } from '../support/outcome.ts'
import { sendRawGrpc } from '../support/raw-requests.ts'
import { createRequestFixture, type RequestFixture } from '../support/request-fixture.ts'
import { readResponse, toJson } from '../support/rest-client.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import {
  findRowsContaining,
  normalizeOutcome,
  normalizeText,
  readTransactionId,
} from '../support/snapshots.ts'
import type { Outcome, PresentedCredentials, Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
test.after.always(() => environment.stop())

/** Methods that users and services call with their own permissions. */
const testedOperations = environment.app.operations.filter(
  ({ policy, key }) =>
    ['user', 'service', 'dual'].includes(policy.tier) &&
    // Returns token timestamps, which differ between calls: see test/identity/oauth.
    key !== 'introspectToken' &&
    // Lists the actions of all services.
    key !== 'listServiceActions',
)

/** AdminService methods with comparable results: no global lists and no generated keys. */
const testedAdminOperations = environment.app.operations.filter(
  ({ service, key }) =>
    service === 'AdminService' &&
    ![
      'getStats',
      'listActivity',
      'listAllWorkspaces',
      'listResourceTypes',
      'listServiceActions',
      'listServiceApps',
      'listClientApps',
      'createServiceApp',
      'rotateServiceApp',
      'updateServiceApp',
    ].includes(key),
)

/** Methods whose calls by the owner are refused, with the reason. Their own tests cover what they accept. */
const refusals: Record<string, string> = {
  // A link begins in a browser.
  beginAccountLink: 'BROWSER_SESSION_REQUIRED',
  // Only an authenticator can answer a challenge.
  createPasskey: 'PASSKEY_REFUSED',
  // The workspace would lose its last owner.
  deleteMe: 'ERASURE_BLOCKED',
}

/** Fields that a caller must not be able to set, with values of another user. */
function unauthorizedFields({
  otherFixture,
  otherGroup,
  foreignRecord,
  otherSession,
}: RequestFixture): Record<string, unknown> {
  const { owner } = otherFixture.people
  const id = owner.id
  return {
    id,
    user_id: id,
    sub: id,
    actor_id: id,
    owner_id: id,
    created_by: id,
    granted_by: id,
    wid: otherFixture.workspace,
    workspace_id: otherFixture.workspace,
    group_id: otherGroup,
    permission_id: foreignRecord.id,
    session_id: otherSession,
    service_name: otherFixture.service,
    is_admin: true,
    admin: true,
    is_active: false,
    role: 'owner',
    wrole: 'owner',
    status: 'active',
    joined_at: '2000-01-01T00:00:00Z',
    created_at: '2000-01-01T00:00:00Z',
    email: 'wish@example.com',
    visibility: 'workspace',
    permission: 'edit',
    allowed: true,
    tier: 'public',
    caller: { user: { id, role: 'owner' } },
    has_full_access: true,
    ...JSON.parse('{"__proto__": {"is_admin": true, "role": "owner"}, "constructor": {"name": 1}}'),
  }
}

/** Headers from which a proxy or framework might take an identity. */
function unauthorizedHeaders(requests: RequestFixture): Record<string, string> {
  const { id } = requests.otherFixture.people.owner
  const { workspace, service } = requests.otherFixture
  const names = ['x-user-id', 'user-id', 'user_id', 'x-forwarded-user', 'x-auth-user', 'sub']
  return {
    ...Object.fromEntries(names.map((name) => [name, id])),
    'x-workspace-id': workspace,
    workspace_id: workspace,
    wid: workspace,
    'x-role': 'owner',
    role: 'owner',
    'x-admin': 'true',
    is_admin: 'true',
    'x-service-name': service,
    service_name: service,
    'x-http-method-override': 'DELETE',
    'x-original-url': '/users/me',
    'x-rewrite-url': '/users/me',
    'x-forwarded-proto': 'https',
  }
}

/**
 * Sends a call with unauthorized headers or metadata. Over REST, a body whose unknown fields
 * are ignored has unauthorized fields, too, and any other body if `inBody`.
 */
async function call(
  transport: Transport,
  operation: DeclaredOperation,
  message: Record<string, unknown>,
  credentials: PresentedCredentials,
  requests: RequestFixture,
  inBody = false,
): Promise<Outcome> {
  const headers = unauthorizedHeaders(requests)
  if (transport.name === 'grpc')
    return transport.call(operation.name, message, { ...credentials, headers })
  const { route, input, bindings } = operation
  const open = input.fields
    .map(({ name }) => name)
    .filter((name) => !route.pathFields.includes(name))
    .filter((name) => !bindings.request.some(({ field, query }) => query && field === name))
  const injected = Object.entries(unauthorizedFields(requests)).filter(
    ([name]) => !open.includes(name) && (inBody || !route.body || !isStrict(operation)),
  )
  const bound = bindings.request.map(({ field }) => field)
  const own = Object.entries(toJson(message, input, operation)).filter(
    ([name]) => open.includes(name) && !bound.includes(name),
  )
  const query = new URLSearchParams()
  for (const [name, value] of route.body ? [] : own) query.append(name, String(value))
  const path = route.path.replace(/\{(\w+)\}/g, (_, name) => String(message[name]))
  const body = Object.fromEntries([...injected, ...(route.body ? own : [])])
  const response = await fetch(`http://127.0.0.1:${environment.httpPort}${path}?${query}`, {
    method: route.verb.toUpperCase(),
    headers: {
      ...headers,
      ...Object.fromEntries(
        bindings.request.flatMap(({ field, header }) =>
          header && message[field] !== undefined ? [[header, String(message[field])]] : [],
        ),
      ),
      'content-type': 'application/json',
      ...(credentials.token && { authorization: `Bearer ${credentials.token}` }),
      ...(credentials.key && { 'x-service-key': credentials.key }),
      ...(credentials.admin && {
        cookie: `admin_token=${credentials.admin}`,
        origin: 'http://localhost:9004',
      }),
    },
    ...(route.verb !== 'get' && { body: JSON.stringify(body) }),
  })
  return readResponse(response, operation)
}

/** Whether unknown fields in a JSON body are rejected. */
function isStrict({ policy }: DeclaredOperation): boolean {
  return policy.profile === 'default'
}

/** Maps the IDs of a request fixture to names, so that two fixtures can be compared. */
function namesOf(requests: RequestFixture): Record<string, string> {
  const { fixture, otherFixture, values, record, crossWorkspaceRecord, foreignRecord } = requests
  const names: Record<string, string> = { [requests.admin.id]: '<admin>' }
  for (const [fixtureName, one] of Object.entries({ fixture, otherFixture })) {
    names[one.workspace] = `<${fixtureName}>`
    names[one.service] = `<service of ${fixtureName}>`
    for (const [role, { id }] of Object.entries(one.people))
      names[id] = `<${role} of ${fixtureName}>`
  }
  for (const [sort, row] of Object.entries({ record, crossWorkspaceRecord, foreignRecord })) {
    names[row.id] = `<${sort}>`
    names[row.resource_id] = `<resource of ${sort}>`
  }
  for (const sort of ['otherGroup', 'group', 'session', 'otherSession'] as const)
    names[requests[sort]] = `<${sort}>`
  for (const sort of ['name', 'slug', 'email']) names[String(values[sort])] = `<${sort}>`
  return names
}

function withNames(text: string, names: Record<string, string>): string {
  return Object.entries(names).reduce((result, [id, name]) => result.replaceAll(id, name), text)
}

/** Two equal fixtures: one for a plain call, one for the same call with unauthorized fields. */
type FixturePair = { plain: RequestFixture; forged: RequestFixture; since: number }

async function createPair(transport: Transport): Promise<FixturePair> {
  const since = await readTransactionId(environment)
  const [plain, forged] = await Promise.all([
    createRequestFixture(environment, transport),
    createRequestFixture(environment, transport),
  ])
  return { plain, forged, since }
}

/** All stored rows of both workspaces of each request fixture. */
async function readRows({ plain, forged, since }: FixturePair) {
  const [plainNames, forgedNames] = [namesOf(plain), namesOf(forged)]
  const ids = Object.keys({ ...plainNames, ...forgedNames })
  // Once for both, because it reads every row of the database.
  const rows = await findRowsContaining(environment, ids, since)
  const readOwn = (names: Record<string, string>) =>
    rows
      .filter((row) => Object.keys(names).some((id) => row.includes(id)))
      .map((row) => normalizeText(withNames(row, names)))
      .toSorted()
  return { plain: readOwn(plainNames), forged: readOwn(forgedNames) }
}

/** An outcome as text with named IDs and sorted lists. */
function describe(outcome: Outcome, requests: RequestFixture): string {
  const names = namesOf(requests)
  const sorted = structuredClone(outcome)
  if (sorted.ok) sortLists(sorted.message)
  // ETags are hashes of IDs, which differ. So do the prefixes of keys.
  if (sorted.ok && sorted.message.key_prefix) sorted.message.key_prefix = '<prefix>'
  if (sorted.ok && sorted.message.etag) sorted.message.etag = '<etag>'
  if (sorted.headers.etag) sorted.headers.etag = '<etag>'
  // Texts of the whole database are counted, in which the fixtures have the same names.
  if (sorted.ok) delete sorted.message.kept_elsewhere
  delete sorted.headers['x-kept-elsewhere']
  return normalizeOutcome(JSON.parse(withNames(JSON.stringify(sorted), names)))

  function sortLists(value: unknown): void {
    if (typeof value !== 'object' || value === null) return
    for (const item of Object.values(value)) sortLists(item)
    if (Array.isArray(value)) value.sort((a, b) => (key(a) < key(b) ? -1 : 1))
  }

  function key(item: unknown) {
    return normalizeText(withNames(JSON.stringify(item), names))
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const owners: Role[] = ['owner']
  // REST has more places to inject fields into.
  const all: Role[] = transport.name === 'rest' ? ['owner', 'viewer'] : owners

  // Calls that change nothing share a pair of fixtures, which takes longer to create than they do.
  let sharedPair: Promise<FixturePair> | undefined

  for (const operation of [...testedOperations, ...testedAdminOperations]) {
    const method = operation.name
    const callers = ['service', 'admin'].includes(operation.policy.tier) ? owners : all

    // Serial: in parallel, calls would wait for a connection longer than their deadline.
    test.serial(
      `${method} accepts no unauthorized fields in body and metadata ${over}`,
      async (t) => {
        for (const role of callers) {
          sharedPair ??= createPair(transport)
          const pair = await sharedPair
          const { plain, forged } = pair
          const buildCall = (requests: RequestFixture) => {
            const message = requests.message(operation)
            return [
              message,
              requests.credentials(operation, requests.fixture.people[role]),
            ] as const
          }
          if (transport.name === 'rest' && operation.route.body && isStrict(operation)) {
            const outcome = await call(transport, operation, ...buildCall(forged), forged, true)
            t.like(outcome, { ok: false, code: 'invalid_argument', reason: 'INVALID_REQUEST' })
          }
          const expected = await transport.call(method, ...buildCall(plain))
          const outcome = await call(transport, operation, ...buildCall(forged), forged)
          t.is(describe(outcome, forged), describe(expected, plain), role)
          if (!operation.policy.safe && expected.ok) sharedPair = undefined
          const rows = await readRows(pair)
          t.true(rows.plain.length > 20)
          t.deepEqual(rows.forged, rows.plain, role)
          if (role === 'owner')
            t.is(
              outcome.ok ? undefined : outcome.reason,
              refusals[operation.key],
              normalizeOutcome(outcome),
            )
        }
      },
    )
  }
}

test('unknown fields of a gRPC message are ignored', async (t) => {
  const [transport] = environment.transports
  if (!transport) throw new Error('no transport')
  const { fixture, values } = await createRequestFixture(environment, transport)
  const { viewer, owner } = fixture.people
  const credentials = { authorization: `Bearer ${viewer.token}` }
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
    (
      await sendRawGrpc(
        environment.grpcPort,
        '/daikon.v1.UserService/UpdateMe',
        change,
        credentials,
      )
    ).code,
    0,
  )
  t.deepEqual(await me(), { ...before, name: 'New' })
  const { rows } = await environment.pool.query('select is_admin from users where id = $1', [
    viewer.id,
  ])
  t.deepEqual(rows, [{ is_admin: false }])

  // Field 3 is the description; the last value on the wire wins.
  const createRequest = unknown(CreateWorkspaceRequest.encode({ name, slug }, new Writer()))
  const path = '/daikon.v1.WorkspaceService/CreateWorkspace'
  t.is((await sendRawGrpc(environment.grpcPort, path, createRequest, credentials)).code, 0)
  const sql = `select m.user_id, m.role from members m join workspaces w on w.id = m.workspace_id
    where w.slug = $1`
  const members = await environment.pool.query(sql, [slug])
  t.deepEqual(members.rows, [{ user_id: viewer.id, role: 'owner' }])
})

test('a check is decided for the caller, not for a user named in the request', async (t) => {
  for (const transport of environment.transports) {
    const { fixture, values } = await createRequestFixture(environment, transport)
    const { people, key } = fixture
    const person = await fixture.addMember('viewer')
    const headers = { 'x-user-id': people.owner.id, user_id: people.owner.id, role: 'owner' }
    const unknown = { user_id: people.owner.id, id: randomUUID() }
    const message = { checks: values.checks, ...(transport.name === 'grpc' && unknown) }
    const credentials = { key, headers }
    const { results } = expectOk(
      await transport.call('Check', message, { ...credentials, token: person.token }),
    )
    t.false(results[0].allowed)
    const asOwner = await transport.call('Check', message, {
      ...credentials,
      token: people.owner.token,
    })
    t.true(expectOk(asOwner).results[0].allowed)
  }
})
