import { once } from 'node:events'
import { credentials } from '@grpc/grpc-js'
import test from 'ava'
import { PermissionServiceClient } from '../../gen/daikon/v1/permissions.ts'
import { checkHealth, connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { startDatabaseProxy } from '../support/proxy.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import { createMetadata, type Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

test('metrics and readiness are served on the operations port only', async (t) => {
  const proxy = await startDatabaseProxy(database.url)
  t.teardown(proxy.close)
  const folder = createKeyFolder(t)
  const server = await startServer(t, folder, { DATABASE_URL: proxy.url })
  const get = (path: string) => sendRawHttp(server.metricsPort, { path })
  const metric = async (name: string) => {
    const { text } = await get('/metrics')
    const line = text.split('\n').find((line) => line.startsWith(`${name} `))
    return line === undefined ? undefined : Number(line.split(' ').at(-1))
  }

  t.like(await get('/livez'), { status: 200, text: 'ok\n' })
  const ready = { ready: true, database: 'ok', redis: 'none', draining: false }
  t.like((await get('/readyz')).json, { ...ready, development_mode: true })
  t.is(await metric('daikon_development_mode'), 1)
  for (const path of ['/', '//', '/health', '/metrics/', '/readyz/x', '/constructor'])
    t.is((await get(path)).status, 404, path)
  t.is((await sendRawHttp(server.metricsPort, { method: 'POST', path: '/metrics' })).status, 404)
  for (const path of ['/metrics', '/livez', '/readyz'])
    t.is((await sendRawHttp(server.httpPort, { path })).status, 404, path)

  const environment = await connectToServer(folder, server, database)
  const { transports } = environment
  t.teardown(() => {
    for (const transport of transports) transport.close()
  })
  for (const transport of transports) {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people } = fixture
    const record = await fixture.register(people.viewer)
    t.true(await fixture.isAllowed(people.viewer, 'view', record))
    t.false(await fixture.isAllowed(people.editor, 'view', record))
    const { resource_type } = fixture.kind
    const asked = { action: 'view', resource_type, resource_id: record.resource_id }
    t.true((await transport.call('AuthorizeAction', asked, fixture.as(people.viewer))).ok)
    t.false((await transport.call('AuthorizeAction', asked, fixture.as(people.editor))).ok)
    await transport.call('GetMe', {}, {})
  }
  const fixture = await createWorkspaceFixture(environment, transports[0] as Transport)
  const record = await fixture.register(fixture.people.viewer)
  const client = new PermissionServiceClient(
    `127.0.0.1:${server.grpcPort}`,
    credentials.createInsecure(),
  )
  t.teardown(() => client.close())
  const stream = client.checkStream(createMetadata(fixture.as(fixture.people.viewer)))
  const { resource_id } = record
  stream.write({ correlation_id: 'one', check: { ...fixture.kind, resource_id, action: 'view' } })
  await once(stream, 'data')
  // Read first, because an idle connection is closed after ten seconds.
  t.true(Number(await metric('daikon_pool_connections{pool="statements",state="idle"}')) > 0)
  stream.end()
  const method = 'daikon.v1.PermissionService/Check'
  for (const transport of ['grpc', 'http']) {
    const labels = `method="${method}",transport="${transport}",code="ok"`
    t.is(await metric(`daikon_calls_total{${labels}}`), 2)
    t.is(await metric(`daikon_call_duration_seconds_count{${labels}}`), 2)
    t.is(await metric(`daikon_call_duration_seconds_bucket{le="+Inf",${labels}}`), 2)
    const refused = `method="daikon.v1.UserService/GetMe",transport="${transport}",code="unauthenticated"`
    t.is(await metric(`daikon_calls_total{${refused}}`), 1)
  }
  t.is(await metric('daikon_decisions_total{result="allowed"}'), 5)
  t.is(await metric('daikon_decisions_total{result="denied"}'), 4)
  t.true(Number(await metric('daikon_batched_query_callers_count')) >= 4)
  t.is(await metric('daikon_pool_waiting{pool="entities"}'), 0)
  t.true(Number(await metric('nodejs_eventloop_lag_p99_seconds')) >= 0)
  t.is(await metric('daikon_ready'), 1)
  t.true(Math.abs(Number(await metric('daikon_clock_offset_seconds'))) < 30)
  // A service app is active, so development mode has ended.
  await waitUntil(async () => (await metric('daikon_development_mode')) === 0)

  await proxy.cut()
  await waitUntil(async () => (await get('/readyz')).status === 503)
  t.like(await get('/readyz'), { status: 503, json: { ready: false, database: 'away' } })
  t.is((await get('/livez')).status, 200)
  t.is(await metric('daikon_ready'), 0)
  await waitUntil(async () => (await checkHealth(server)) === 'NOT_SERVING')
  await proxy.open()
  await waitUntil(async () => (await checkHealth(server)) === 'SERVING')
  t.is((await get('/readyz')).status, 200)
})

test('sign-ins are counted by provider, flow and outcome', async (t) => {
  const folder = createKeyFolder(t)
  const client = { GOOGLE_CLIENT_ID: 'daikon', GOOGLE_CLIENT_SECRET: 'secret' }
  const server = await startServer(t, folder, { DATABASE_URL: database.url, ...client })
  await sendRawHttp(server.httpPort, { path: '/auth/callback/google?code=a&state=b' })
  await sendRawHttp(server.httpPort, { path: '/auth/admin/callback/nobody?code=a&state=b' })
  const { text } = await sendRawHttp(server.metricsPort, { path: '/metrics' })
  const counted = text.split('\n').filter((line) => line.startsWith('daikon_sign_ins_total'))
  t.is(counted.length, 2, counted.join('\n'))
  t.regex(counted[0] ?? '', /flow="user",provider="google",outcome="state_refused"} 1/)
  t.regex(counted[1] ?? '', /flow="admin",provider="unknown",outcome="provider_not_found"} 1/)
})
