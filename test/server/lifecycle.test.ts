import { request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import test from 'ava'
import { PermissionServiceService } from '../../gen/daikon/v1/permissions.ts'
import { checkHealth, connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import {
  createKeyFolder,
  launchServer,
  type ServerProcess,
  startServer,
} from '../support/server-process.ts'
import type { Outcome } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

/** A server with an fixture that it may be asked about. */
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
  const shown = fixture.as(fixture.people.viewer)
  return {
    ...{ server, environment, fixture, record, shown },
    checks: [{ ...fixture.kind, resource_id: record.resource_id, action: 'view' }],
    share: () =>
      environment.transports.map((transport) =>
        transport.call('Share', { permission_id: record.id, ...grant }, shown),
      ),
  }
}

/** Holds writes until `release`. */
async function lockShares() {
  const client = await database.pool.connect()
  await client.query('begin; lock table shares in exclusive mode')
  return async () => {
    await client.query('rollback')
    client.release()
  }
}

async function untilWaiting(count: number) {
  const sql = `select from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`
  const deadline = performance.now() + 5000
  while ((await database.pool.query(sql)).rows.length < count && performance.now() < deadline);
}

async function readiness({ metricsPort }: ServerProcess) {
  return (await sendRawHttp(metricsPort, { path: '/readyz' })).json
}

test.serial(
  'SIGTERM: not ready, what was accepted is answered, no more is taken, exit 0',
  async (t) => {
    const { server, share } = await open(t)
    const release = await lockShares()
    const flying = share()
    await untilWaiting(2)
    server.child.kill('SIGTERM')
    await server.waitForLine(({ msg }) => msg === 'Draining')
    t.like(await readiness(server), { ready: false, draining: true, database: 'ok' })
    await t.throwsAsync(sendRawHttp(server.httpPort, { path: '/health' }), { code: 'ECONNREFUSED' })
    t.is(await checkHealth(server), 'code 14')
    await release()
    for (const ending of await Promise.all(flying)) t.true(ending.ok)
    t.deepEqual(await server.exited, { code: 0, signal: null })
    t.is(server.lines.at(-1)?.msg, 'Stopped')
  },
)

for (const workers of ['1', '2']) {
  test.serial(
    `SIGTERM under requests refuses none that was accepted, WORKERS=${workers}`,
    async (t) => {
      const { server, environment, checks, shown } = await open(t, {
        ...{ WORKERS: workers, LOG_LEVEL: 'debug' },
      })
      const endings: Outcome[] = []
      const failures: string[] = []
      let stopping = false
      const ask = async (transport: (typeof environment.transports)[0]) => {
        while (!stopping) {
          try {
            endings.push(await transport.call('Check', { checks }, shown))
          } catch (error) {
            failures.push(String((error as { cause?: { code: string } }).cause?.code ?? error))
          }
        }
      }
      const asking = environment.transports.flatMap((transport) =>
        Array.from({ length: 8 }, () => ask(transport)),
      )
      while (endings.length < 200) await sleep(20)
      server.child.kill('SIGTERM')
      const ended = await server.exited
      stopping = true
      await Promise.all(asking)
      t.deepEqual(ended, { code: 0, signal: null })
      const refused = endings.filter((ending) => !ending.ok)
      // A closed port refuses connections (UNAVAILABLE, ECONNREFUSED): those calls were not accepted.
      for (const ending of refused)
        t.regex(ending.ok ? '' : ending.detail, /No connection established|ECONNREFUSED/)
      t.deepEqual(
        failures.filter((code) => !/ECONNREFUSED|ECONNRESET|SOCKET/.test(code)),
        [],
      )
      // Whatever was taken in was answered: nothing it decided was lost on the way.
      const decided = server.lines.filter(({ method, status }) => {
        return method === 'daikon.v1.PermissionService/Check' && status === 'ok'
      })
      t.is(decided.length, endings.length - refused.length)
    },
  )
}

test.serial('a connection that is kept alive ends after the answer it waits for', async (t) => {
  const { server, record, fixture, shown } = await open(t)
  const release = await lockShares()
  const body = { grantee_type: 'user', grantee_id: fixture.people.admin.id, permission: 'view' }
  const { token, key } = shown
  const answered = new Promise<number | undefined>((resolve, reject) => {
    const headers = {
      ...{ connection: 'keep-alive', 'content-type': 'application/json' },
      ...{ authorization: `Bearer ${token}`, 'x-service-key': `${key}` },
    }
    const path = `/permissions/${record.id}/share`
    const options = { host: '127.0.0.1', port: server.httpPort, method: 'POST', path, headers }
    const sent = request(options, (response) => response.resume() && resolve(response.statusCode))
    sent.on('error', reject)
    sent.end(JSON.stringify(body))
  })
  await untilWaiting(1)
  server.child.kill('SIGTERM')
  await server.waitForLine(({ msg }) => msg === 'Draining')
  await release()
  const began = performance.now()
  t.is(await answered, 201)
  t.is((await server.exited).code, 0)
  t.true(performance.now() - began < 3000)
})

test.serial(
  'streams and watches of health end with the drain, after what is under way',
  async (t) => {
    const { server, checks, shown } = await open(t)
    const client = new Client(`127.0.0.1:${server.grpcPort}`, credentials.createInsecure())
    const { path, requestSerialize, responseDeserialize } = PermissionServiceService.checkStream
    const metadata = new Metadata()
    metadata.set('authorization', `Bearer ${shown.token}`)
    metadata.set('x-service-key', `${shown.key}`)
    const stream = client.makeBidiStreamRequest(
      ...[path, requestSerialize, responseDeserialize, metadata],
    )
    const over = new Promise<{ code: number }>((resolve) => stream.on('error', resolve as never))
    const answer = new Promise((resolve) => stream.once('data', resolve))
    const [check] = checks
    stream.write({ correlation_id: 'a', check })
    await answer
    const same = (bytes: Buffer) => bytes
    const watch = client.makeServerStreamRequest(
      ...['/grpc.health.v1.Health/Watch', same, same, Buffer.alloc(0)],
    )
    const statuses: Buffer[] = []
    const watched = new Promise((resolve) => watch.on('end', resolve))
    watch.on('data', (bytes: Buffer) => statuses.push(bytes))
    await new Promise((resolve) => watch.once('data', resolve))

    const began = performance.now()
    server.child.kill('SIGTERM')
    t.is((await over).code, 14)
    await watched
    t.deepEqual(
      statuses.map((bytes) => bytes[1]),
      [1, 2],
    )
    t.is((await server.exited).code, 0)
    t.true(performance.now() - began < 5000)
    client.close()
  },
)

for (const signals of [1, 2]) {
  const ending = signals === 1 ? 'starts, drains and ends with 0' : 'ends at once'
  test.serial(`signalled ${signals} times while it starts, it ${ending}`, async (t) => {
    const server = launchServer(t, createKeyFolder(t), { DATABASE_URL: database.url })
    // It is said before the transports open.
    await server.waitForLine(({ msg }) => msg.startsWith('REDIS_URL is empty'))
    server.child.kill('SIGTERM')
    await server.waitForLine(({ msg }) => msg === 'SIGTERM received')
    if (signals === 2) server.child.kill('SIGINT')
    t.deepEqual(await server.exited, { code: signals - 1, signal: null })
    t.is(server.lines.at(-1)?.msg, signals === 1 ? 'Stopped' : 'SIGINT received')
  })
}

for (const workers of ['1', '2']) {
  test.serial(`a second signal ends it at once, WORKERS=${workers}`, async (t) => {
    const { server, share } = await open(t, { WORKERS: workers })
    const release = await lockShares()
    const flying = Promise.allSettled(share())
    await untilWaiting(1)
    server.child.kill('SIGTERM')
    await server.waitForLine(({ msg }) => msg === 'Draining')
    const began = performance.now()
    server.child.kill('SIGINT')
    t.is((await server.exited).code, 1)
    t.true(performance.now() - began < 2000)
    await release()
    await flying
  })
}
