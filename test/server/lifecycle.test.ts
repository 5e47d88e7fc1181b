import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import { PermissionServiceService } from '../../gen/daikon/v1/permissions.ts'
import { checkHealth, connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { waitUntilAllBlocked, waitUntilBlocked } from '../support/lock-waits.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import {
  createKeyFolder,
  launchServer,
  type ServerProcess,
  startServer,
} from '../support/server-process.ts'
import type { Outcome } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

/** Starts a server and a fixture on its database. */
async function open(t: Parameters<typeof createKeyFolder>[0], variables = {}) {
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, RATE_LIMIT_ENABLED: 'false', ...variables }
  const server = await startServer(t, folder, settings)
  const environment = await connectToServer(folder, server, database)
  const fixture = await createWorkspaceFixture(
    environment,
    environment.transports[0] as (typeof environment.transports)[0],
  )
  const record = await fixture.register(fixture.people.viewer)
  const grant = { grantee_type: 'user', grantee_id: fixture.people.editor.id, permission: 'view' }
  const credentials = fixture.as(fixture.people.viewer)
  return {
    server,
    environment,
    fixture,
    record,
    callCredentials: credentials,
    checks: [{ ...fixture.kind, resource_id: record.resource_id, action: 'view' }],
    share: () =>
      environment.transports.map((transport) =>
        transport.call('Share', { permission_id: record.id, ...grant }, credentials),
      ),
  }
}

/**
 * Locks the shares table. The returned function releases the lock, as does the end of the test, so
 * that a failed test does not block the next ones.
 */
async function lockShares(t: ExecutionContext) {
  const client = await database.pool.connect()
  await client.query('begin; lock table shares in exclusive mode')
  let isLocked = true
  const release = async () => {
    if (!isLocked) return
    isLocked = false
    await client.query('rollback')
    client.release()
  }
  t.teardown(release)
  return release
}

/**
 * Sends a request without its body, which prolongs a drain for up to 20 seconds: a share that waits
 * for the lock does so for only three. The returned function ends it.
 */
async function sendUnfinished(t: ExecutionContext, { httpPort }: ServerProcess) {
  const socket = connect(httpPort, '127.0.0.1')
  t.teardown(() => socket.destroy())
  socket.on('error', () => {})
  const lines = [
    'POST /auth/refresh HTTP/1.1',
    'Host: localhost',
    'Content-Type: application/json',
    'Content-Length: 2',
    'Expect: 100-continue',
  ]
  socket.write(`${lines.join('\r\n')}\r\n\r\n`)
  // The server has accepted the request.
  await once(socket, 'data')
  return () => void socket.destroy()
}

async function readiness({ metricsPort }: ServerProcess) {
  return (await sendRawHttp(metricsPort, { path: '/readyz' })).json
}

/** Whether nobody listens on a port. */
function isRefused(port: number): Promise<boolean> {
  return sendRawHttp(port, { path: '/health' }).then(
    () => false,
    ({ code }) => code === 'ECONNREFUSED',
  )
}

test.serial(
  'on SIGTERM the server reports not ready, completes accepted calls, accepts no more and exits with 0',
  async (t) => {
    const { server, share } = await open(t)
    const endUnfinished = await sendUnfinished(t, server)
    const release = await lockShares(t)
    const pending = share()
    await waitUntilAllBlocked(database.pool, pending)
    server.child.kill('SIGTERM')
    await server.waitForLine(({ msg }) => msg === 'Draining')
    // The line is logged just before the ports close.
    const [ready] = await Promise.all([
      readiness(server),
      waitUntil(async () => (await checkHealth(server)) === 'code 14'),
      waitUntil(() => isRefused(server.httpPort)),
    ])
    await release()
    endUnfinished()
    t.like(ready, { ready: false, draining: true, database: 'ok' })
    // On a busy machine, a share may wait for the lock for more than three seconds.
    for (const outcome of await Promise.all(pending))
      t.true(outcome.ok || outcome.reason === 'LOCK_TIMEOUT', JSON.stringify(outcome))
    t.deepEqual(await server.exited, { code: 0, signal: null })
    t.is(server.lines.at(-1)?.msg, 'Stopped')
  },
)

for (const workers of ['1', '2']) {
  test.serial(`SIGTERM under load drops no accepted call, WORKERS=${workers}`, async (t) => {
    const {
      server,
      environment,
      checks,
      callCredentials: credentials,
    } = await open(t, {
      WORKERS: workers,
      LOG_LEVEL: 'debug',
    })
    const outcomes: Outcome[] = []
    const failures: string[] = []
    let stopping = false
    const sendChecks = async (transport: (typeof environment.transports)[0]) => {
      while (!stopping) {
        try {
          outcomes.push(await transport.call('Check', { checks }, credentials))
        } catch (error) {
          failures.push(String((error as { cause?: { code: string } }).cause?.code ?? error))
        }
      }
    }
    const clients = environment.transports.flatMap((transport) =>
      Array.from({ length: 8 }, () => sendChecks(transport)),
    )
    while (outcomes.length < 200) await sleep(20)
    server.child.kill('SIGTERM')
    const exit = await server.exited
    stopping = true
    await Promise.all(clients)
    t.deepEqual(exit, { code: 0, signal: null })
    const refused = outcomes.filter((outcome) => !outcome.ok)
    // These calls were not accepted, or a busy machine took too long to connect to the database.
    for (const outcome of refused)
      t.regex(
        outcome.ok ? '' : outcome.detail,
        /No connection established|ECONNREFUSED|refused by server|REFUSED_STREAM|database is not available/i,
      )
    for (const { reason, err } of server.lines)
      if (reason === 'STORAGE_UNAVAILABLE')
        t.regex((err as Error).message, /timeout/i, JSON.stringify(err))
    t.deepEqual(
      failures.filter((code) => !/ECONNREFUSED|ECONNRESET|SOCKET/.test(code)),
      [],
    )
    // Every check that the server logged as decided was received by a client.
    const decided = server.lines.filter(({ method, status }) => {
      return method === 'daikon.v1.PermissionService/Check' && status === 'ok'
    })
    t.is(decided.length, outcomes.length - refused.length)
  })
}

test.serial('a keep-alive connection closes after its pending response', async (t) => {
  const { server, record, fixture, callCredentials: credentials } = await open(t)
  const release = await lockShares(t)
  const body = { grantee_type: 'user', grantee_id: fixture.people.admin.id, permission: 'view' }
  const { token, key } = credentials
  const statusCode = new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      connection: 'keep-alive',
      'content-type': 'application/json',
      authorization: `Bearer ${token}`,
      'x-service-key': `${key}`,
    }
    const path = `/permissions/${record.id}/share`
    const options = { host: '127.0.0.1', port: server.httpPort, method: 'POST', path, headers }
    const sent = request(options, (response) => response.resume() && resolve(response.statusCode))
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
  await waitUntilBlocked(database.pool)
  server.child.kill('SIGTERM')
  await server.waitForLine(({ msg }) => msg === 'Draining')
  await release()
  const startedAt = performance.now()
  // On a busy machine, a share may wait for the lock for more than three seconds.
  t.true([201, 503].includes((await statusCode) ?? 0))
  t.is((await server.exited).code, 0)
  // Idle connections would be closed after 30 seconds.
  t.true(performance.now() - startedAt < 29_000)
})

for (const workers of ['1', '2']) {
  test.serial(
    `a request after SIGTERM on an idle connection gets a response, WORKERS=${workers}`,
    async (t) => {
      const { server } = await open(t, { WORKERS: workers })
      const sockets = Array.from({ length: 8 }, () => {
        const socket = connect(server.httpPort, '127.0.0.1')
        t.teardown(() => socket.destroy())
        let received = ''
        socket.on('data', (bytes) => {
          received += bytes
        })
        socket.on('error', () => {})
        const send = () => socket.write('GET /health HTTP/1.1\r\nHost: localhost\r\n\r\n')
        return { socket, send, responses: () => received.match(/^Connection: \S+/gm) ?? [] }
      })
      for (const { send } of sockets) send()
      await waitUntil(() => sockets.every(({ responses }) => responses().length === 1))
      const startedAt = performance.now()
      server.child.kill('SIGTERM')
      await waitUntil(() => isRefused(server.httpPort))
      const closed = sockets.map(({ socket }) => once(socket, 'close'))
      for (const { send } of sockets) send()
      await Promise.all(closed)
      // A busy machine may send them after the second for which idle connections are kept.
      if (performance.now() - startedAt < 900)
        for (const { responses } of sockets)
          t.deepEqual(responses().slice(1), ['Connection: close'])
      t.is((await server.exited).code, 0)
    },
  )
}

test.serial('draining ends streams and health watches after calls in progress', async (t) => {
  const { server, checks, callCredentials } = await open(t)
  const client = new Client(`127.0.0.1:${server.grpcPort}`, credentials.createInsecure())
  const { path, requestSerialize, responseDeserialize } = PermissionServiceService.checkStream
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${callCredentials.token}`)
  metadata.set('x-service-key', `${callCredentials.key}`)
  const stream = client.makeBidiStreamRequest(path, requestSerialize, responseDeserialize, metadata)
  const over = new Promise<{ code: number }>((resolve) => stream.on('error', resolve as never))
  const firstResponse = new Promise((resolve) => stream.once('data', resolve))
  const [check] = checks
  stream.write({ correlation_id: 'a', check })
  await firstResponse
  const same = (bytes: Buffer) => bytes
  const watch = client.makeServerStreamRequest(
    '/grpc.health.v1.Health/Watch',
    same,
    same,
    Buffer.alloc(0),
  )
  const statuses: Buffer[] = []
  const watched = new Promise((resolve) => watch.on('end', resolve))
  watch.on('data', (bytes: Buffer) => statuses.push(bytes))
  await new Promise((resolve) => watch.once('data', resolve))

  const startedAt = performance.now()
  server.child.kill('SIGTERM')
  t.is((await over).code, 14)
  await watched
  t.deepEqual(
    statuses.map((bytes) => bytes[1]),
    [1, 2],
  )
  t.is((await server.exited).code, 0)
  // The drain would end them after 30 seconds.
  t.true(performance.now() - startedAt < 29_000)
  client.close()
})

for (const signals of [1, 2]) {
  const outcome = signals === 1 ? 'starts, drains and exits with 0' : 'exits at once'
  test.serial(`after ${signals} signal(s) during startup the server ${outcome}`, async (t) => {
    const server = launchServer(t, createKeyFolder(t), { DATABASE_URL: database.url })
    // This line is logged before the server listens.
    await server.waitForLine(({ msg }) => msg.startsWith('REDIS_URL is empty'))
    // The server receives all signals at once: it would start, drain and exit in a few hundred milliseconds.
    server.child.kill('SIGSTOP')
    server.child.kill('SIGTERM')
    if (signals === 2) server.child.kill('SIGINT')
    server.child.kill('SIGCONT')
    t.deepEqual(await server.exited, { code: signals - 1, signal: null }, server.output())
    t.regex(
      server.lines.at(-1)?.msg ?? '',
      signals === 1 ? /^Stopped$/ : /^SIG\w+ received$/,
      server.output(),
    )
  })
}

for (const workers of ['1', '2']) {
  test.serial(`a second signal stops the server at once, WORKERS=${workers}`, async (t) => {
    const { server } = await open(t, { WORKERS: workers })
    await sendUnfinished(t, server)
    server.child.kill('SIGTERM')
    await server.waitForLine(({ msg }) => msg === 'Draining')
    server.child.kill('SIGINT')
    t.is((await server.exited).code, 1)
    t.is(server.lines.at(-1)?.msg, 'SIGINT received')
  })
}
