import { randomBytes } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import { startCollector } from '../support/collector.ts'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

/** A span in OTLP JSON. */
type Span = {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  kind: number
  status: { code?: number; message?: string }
  attributes: { key: string; value: { stringValue: string } }[]
}

type Export = { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] }

/** Starts a collector. `listSpans` returns the spans that it has received. */
async function collectSpans(t: ExecutionContext) {
  const { exports, url } = await startCollector<Export>(t, '/v1/traces')
  const listSpans = () =>
    exports.flatMap(({ resourceSpans }) =>
      resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
    )
  return { listSpans, url }
}

test('a call is a span of the client’s trace with child spans for its queries, over both transports', async (t) => {
  const { listSpans, url } = await collectSpans(t)
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, OTEL_EXPORTER_OTLP_ENDPOINT: `${url}/` }
  const server = await startServer(t, folder, settings)
  const environment = await connectToServer(folder, server, database)
  const children = (parent: Span) =>
    listSpans().filter(({ parentSpanId }) => parentSpanId === parent.spanId)

  for (const transport of environment.transports) {
    const fixture = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(fixture.people.viewer)
    const credentials = fixture.as(fixture.people.viewer)
    const ids: string[] = []
    const call = (method: string, message: object) => {
      const traceId = randomBytes(16).toString('hex')
      const spanId = randomBytes(8).toString('hex')
      ids.push(traceId)
      const headers = { traceparent: `00-${traceId}-${spanId}-01` }
      return transport
        .call(method, message, { ...credentials, headers })
        .then(() => ({ traceId, spanId }))
    }
    const checks = [{ ...fixture.kind, resource_id: record.resource_id, action: 'view' }]
    // The first check with a service key also loads the status of the key.
    await transport.call('Check', { checks }, credentials)
    const check = await call('Check', { checks })
    const grant = { grantee_type: 'user', grantee_id: fixture.people.editor.id, permission: 'view' }
    const share = await call('Share', { permission_id: record.id, ...grant })
    const refused = await call('Share', { permission_id: fixture.workspace, ...grant })
    await transport.call(
      'Check',
      { checks },
      { ...credentials, headers: { traceparent: '00-0-0-01' } },
    )
    await waitUntil(() =>
      ids.every((id) => listSpans().some(({ traceId, kind }) => traceId === id && kind === 2)),
    )

    const root = ({ traceId }: { traceId: string }) => {
      const found = listSpans().find((span) => span.traceId === traceId && span.kind === 2)
      if (!found) throw new Error('no span')
      return found
    }
    t.is(root(check).name, 'daikon.v1.PermissionService/Check')
    t.is(root(check).parentSpanId, check.spanId)
    t.deepEqual(
      children(root(check)).map(({ name }) => name),
      ['facts'],
    )
    t.is(root(share).parentSpanId, share.spanId)
    const statements = children(root(share)).map(({ name }) => name)
    t.deepEqual(statements, ['facts', 'resource', 'share_user_id', 'position'])
    for (const span of children(root(share))) t.is(span.traceId, share.traceId)
    t.like(root(refused).status, { code: 2, message: 'RESOURCE_NOT_FOUND' })
    t.falsy(root(check).status.code)
    for (const secret of [credentials.token, credentials.key])
      t.false(JSON.stringify(listSpans()).includes(`${secret}`))
    t.false(
      JSON.stringify(listSpans()).includes(fixture.people.editor.id),
      'spans contain no parameter values',
    )
  }
  const own = listSpans().filter(
    ({ name, parentSpanId }) => name.endsWith('/Check') && !parentSpanId,
  )
  t.true(own.length >= 2, 'an invalid traceparent starts a new trace')
  for (const transport of environment.transports) transport.close()
})

test('one request is followed across two nodes, in their logs, spans and entries of the activity log', async (t) => {
  const { listSpans, url } = await collectSpans(t)
  const folder = createKeyFolder(t)
  const settings = {
    DATABASE_URL: database.url,
    OTEL_EXPORTER_OTLP_ENDPOINT: url,
    LOG_LEVEL: 'debug',
  }
  const first = await startServer(t, folder, settings)
  const second = await startServer(t, folder, settings)
  const environment = await connectToServer(folder, first, database)
  const other = await connectToServer(folder, second, database)
  const transports = [environment, other].map(({ transports }) =>
    transports.find(({ name }) => name === 'rest'),
  ) as [Transport, Transport]
  const fixture = await createWorkspaceFixture(environment, transports[0])
  const record = await fixture.register(fixture.people.viewer)
  const requestId = randomBytes(8).toString('hex')
  const traceId = randomBytes(16).toString('hex')
  const headers = {
    'x-request-id': requestId,
    traceparent: `00-${traceId}-${randomBytes(8).toString('hex')}-01`,
  }
  const credentials = { ...fixture.as(fixture.people.viewer), headers }
  const grant = { grantee_type: 'user', grantee_id: fixture.people.editor.id, permission: 'view' }
  const share = { permission_id: record.id, ...grant }
  const checks = [{ ...fixture.kind, resource_id: record.resource_id, action: 'view' }]
  t.true((await transports[0].call('Share', share, credentials)).ok)
  t.true((await transports[1].call('Check', { checks }, credentials)).ok)

  const roots = () => listSpans().filter((span) => span.traceId === traceId && span.kind === 2)
  await waitUntil(() => roots().length === 2)
  for (const { attributes } of roots())
    t.is(attributes.find(({ key }) => key === 'daikon.request_id')?.value.stringValue, requestId)
  const isOf = (line: object) => 'request_id' in line && line.request_id === requestId
  for (const [server, method] of [
    [first, 'Share'],
    [second, 'Check'],
  ] as const)
    t.regex(String((await server.waitForLine(isOf)).method), new RegExp(`/${method}$`))
  const { rows } = await database.pool.query('select action from activity where request_id = $1', [
    requestId,
  ])
  t.deepEqual(rows, [{ action: 'permission.shared' }])
  for (const { transports } of [environment, other])
    for (const transport of transports) transport.close()
})

test('pending spans are exported when the server stops', async (t) => {
  const { listSpans, url } = await collectSpans(t)
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, OTEL_EXPORTER_OTLP_ENDPOINT: url }
  const server = await startServer(t, folder, settings)
  await fetch(`http://127.0.0.1:${server.httpPort}/users/me`)
  server.child.kill('SIGTERM')
  t.deepEqual(await server.exited, { code: 0, signal: null })
  t.deepEqual(
    listSpans().map(({ name }) => name),
    ['daikon.v1.UserService/GetMe'],
  )
})
