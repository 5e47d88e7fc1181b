import { Client, credentials, Metadata } from '@grpc/grpc-js'
import test from 'ava'
import type { CheckRequest, CheckResponse } from '../../gen/envoy/service/auth/v3/external_auth.ts'
import { AuthorizationService } from '../../gen/envoy/service/auth/v3/external_auth.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())
const [transport] = environment.transports as [Transport]

type Asked = {
  member?: Member
  method?: string
  path?: string
  headers?: Record<string, string>
  extensions?: Record<string, string>
}

/** Creates a fixture with a function that asks as Envoy does. */
async function createEnvoy(port = environment.grpcPort) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const { key, service: service_name } = fixture
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  const routes = [
    { methods: ['GET'], path: '/', allow: 'anyone' },
    { methods: ['GET'], path: '/documents/{id}', action: 'view', resource_type: 'document' },
  ]
  expectOk(await transport.call('PutRoutes', { service_name, routes }, { key }))
  const send = (
    request: CheckRequest,
    metadata: Record<string, string> = { 'x-service-key': key },
  ) =>
    new Promise<CheckResponse>((resolve, reject) => {
      const { path, requestSerialize, responseDeserialize } = AuthorizationService.check
      const sent = new Metadata()
      for (const [name, value] of Object.entries(metadata)) sent.set(name, value)
      const end = (error: Error | null, response?: CheckResponse) =>
        error ? reject(error) : resolve(response as CheckResponse)
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, sent, end)
    })
  const ask = (
    { member, method = 'GET', path = '/', headers = {}, extensions = {} }: Asked,
    metadata?: Record<string, string>,
  ) => {
    const authorization = member && { authorization: `Bearer ${member.token}` }
    const http = { method, path, headers: { ...headers, ...authorization } }
    return send({ attributes: { request: { http }, context_extensions: extensions } }, metadata)
  }
  return { ...fixture, send, ask }
}

/** Returns 'OK', or the status and the reason of a denied response. */
function resultOf({ status, denied_response, ok_response }: CheckResponse): string {
  if (!denied_response) return status?.code === 0 && ok_response ? 'OK' : 'invalid'
  return `${denied_response.status?.code} ${JSON.parse(denied_response.body).reason}`
}

const headersOf = ({ ok_response, denied_response }: CheckResponse) =>
  Object.fromEntries(
    (ok_response ?? denied_response)?.headers.map(({ header }) => [header?.key, header?.value]) ??
      [],
  )

test('Envoy is told to replace the six headers, also by empty values', async (t) => {
  const { ask, people, workspace } = await createEnvoy()
  const named = await ask({ member: people.viewer })
  t.is(resultOf(named), 'OK')
  t.deepEqual(headersOf(named), {
    'x-auth-user': people.viewer.id,
    'x-auth-email': 'someone@example.com',
    'x-auth-workspace': workspace,
    'x-auth-role': 'viewer',
    'x-auth-agent': '',
    'x-auth-delegation': '',
  })
  const anonymous = await ask({})
  t.deepEqual(Object.values(headersOf(anonymous)), ['', '', '', '', '', ''])
  for (const { append_action, keep_empty_value } of anonymous.ok_response?.headers ?? [])
    t.deepEqual([append_action, keep_empty_value], [2, true])
})

test('the routes of the service and context extensions decide as Check does', async (t) => {
  const { ask, people, ...fixture } = await createEnvoy()
  const { resource_id } = await fixture.register(people.viewer)
  for (const member of Object.values(people)) {
    for (const action of ['view', 'edit']) {
      const expected = (await fixture.isAllowed(member, action, { resource_id }))
        ? 'OK'
        : '403 ACCESS_DENIED'
      const extensions = { action, resource_type: 'document', resource_id }
      t.is(resultOf(await ask({ member, extensions })), expected)
      if (action === 'view')
        t.is(resultOf(await ask({ member, path: `/documents/${resource_id}?a=/` })), expected)
    }
  }
  const missing = await ask({ path: `/documents/${resource_id}` })
  t.is(resultOf(missing), '401 TOKEN_MISSING')
  t.is(headersOf(missing)['www-authenticate'], 'Bearer realm="daikon"')
  t.is(headersOf(missing)['content-type'], 'application/problem+json')
  const extensions = { action: 'view', resource_type: 'document', resource_id }
  t.is(resultOf(await ask({ extensions })), '401 TOKEN_MISSING')
  for (const [path, result] of [
    ['/unknown', '403 ROUTE_UNKNOWN'],
    ['/documents/%2e%2e', '403 PATH_AMBIGUOUS'],
    ['', '403 PATH_AMBIGUOUS'],
  ] as const)
    t.is(resultOf(await ask({ member: people.owner, path })), result)
})

test('every mistake is a denied response', async (t) => {
  const { ask, send, people, key } = await createEnvoy()
  t.is(resultOf(await ask({}, {})), '401 SERVICE_KEY_MISSING')
  t.is(resultOf(await ask({}, { 'x-service-key': `${key}x` })), '401 SERVICE_KEY_INVALID')
  const bearer = { authorization: `Bearer ${key}` }
  t.is(resultOf(await ask({ headers: bearer }, bearer)), '401 SERVICE_KEY_MISSING')
  t.is(resultOf(await send({ attributes: undefined })), '400 INVALID_REQUEST')
  t.is(resultOf(await ask({ headers: { 'x-big': 'a'.repeat(100_000) } })), 'OK')
  await t.throwsAsync(ask({ headers: { 'x-big': 'a'.repeat(140_000) } }), { message: /exceeds/ })
  const whole = { action: 'view', resource_type: 'document', resource_id: 'd' }
  for (const extensions of [
    { action: 'view' },
    { ...whole, resource_id: '' },
    { ...whole, resource_id: 'a'.repeat(256) },
    { ...whole, more: 'x' },
    { acton: 'view' },
  ])
    t.is(resultOf(await ask({ member: people.owner, extensions })), '400 INVALID_REQUEST')
  const other = await ask({
    member: people.owner,
    extensions: { ...whole, resource_type: 'other:document' },
  })
  t.is(resultOf(other), '403 OTHER_SERVICE')
})

test('the token comes from the request, never from the metadata of Envoy', async (t) => {
  const { ask, people, key, ...fixture } = await createEnvoy()
  const { resource_id } = await fixture.register(people.owner)
  const metadata = { 'x-service-key': key, authorization: `Bearer ${people.owner.token}` }
  const path = `/documents/${resource_id}`
  t.is(resultOf(await ask({ path }, metadata)), '401 TOKEN_MISSING')
  t.is(resultOf(await ask({ path, member: people.viewer }, metadata)), '403 ACCESS_DENIED')
})

test('calls count in the window of the service key if services have a limit', async (t) => {
  const node = await environment.addNode({
    RATE_LIMIT_PER_MINUTE: 30,
    SERVICE_RATE_LIMIT_PER_MINUTE: 2,
  })
  const { ask } = await createEnvoy(node.grpcPort)
  t.deepEqual([await ask({}), await ask({}), await ask({})].map(resultOf), [
    'OK',
    'OK',
    '429 RATE_LIMITED',
  ])
  t.regex(headersOf(await ask({}))['retry-after'] ?? '', /^\d+$/)
  const unlimited = await environment.addNode({ RATE_LIMIT_PER_MINUTE: 1 })
  const envoy = await createEnvoy(unlimited.grpcPort)
  for (let call = 0; call < 5; call += 1) t.is(resultOf(await envoy.ask({})), 'OK')
})
