import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

test('workers share both ports and one set of limits, and speak as one at the operator’s port', async (t) => {
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, WORKERS: '2', LOG_LEVEL: 'debug' }
  const server = await startServer(t, folder, settings)
  const readiness = async () => (await sendRawHttp(server.metricsPort, { path: '/readyz' })).json
  t.like(await readiness(), { ready: true, workers: { ready: 2, wanted: 2 } })

  // A connection for each, so that both workers are asked.
  const answers = await Promise.all(
    Array.from({ length: 40 }, () => sendRawHttp(server.httpPort, { path: '/users/me' })),
  )
  t.is(answers.filter(({ status }) => status === 401).length, 30)
  t.is(answers.filter(({ status }) => status === 429).length, 10)
  const { text } = await sendRawHttp(server.metricsPort, { path: '/metrics' })
  const counted = (code: string) =>
    text.match(
      new RegExp(`^daikon_calls_total{.*GetMe.*transport="http",code="${code}"} (\\d+)$`, 'm'),
    )?.[1]
  t.is(counted('unauthenticated'), '30')
  t.is(counted('resource_exhausted'), '10')
  t.regex(text, /^daikon_ready 1$/m)
  const workers = () =>
    new Set(server.lines.filter(({ msg }) => msg === 'call').map(({ pid }) => pid))
  t.is(workers().size, 2)

  const environment = await connectToServer(folder, server, database)
  for (const transport of environment.transports.slice(0, 1)) {
    const fixture = await createWorkspaceFixture(environment, transport)
    const record = await fixture.register(fixture.people.viewer)
    t.true(await fixture.isAllowed(fixture.people.viewer, 'view', record))
  }

  // A worker that dies is replaced; the ports stay.
  const [victim] = [...workers()] as [number]
  process.kill(victim, 'SIGKILL')
  await server.waitForLine(({ msg }) => msg.startsWith('A worker died'))
  await until(async () => (await readiness()).workers.ready === 2)
  t.like(await readiness(), { ready: true, workers: { ready: 2, wanted: 2 } })
  // The limits are the server's, not the dead worker's.
  t.is((await sendRawHttp(server.httpPort, { path: '/users/me' })).status, 429)
  t.is((await sendRawHttp(server.httpPort, { path: '/health' })).status, 200)
  for (const transport of environment.transports) transport.close()

  const pids = workers()
  server.child.kill('SIGTERM')
  t.deepEqual(await server.exited, { code: 0, signal: null })
  for (const pid of pids) t.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
})

test('workers that are killed while they ask are replaced, and the primary stays', async (t) => {
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, WORKERS: '2', LOG_LEVEL: 'debug' }
  const server = await startServer(t, folder, settings)
  const readiness = async () => (await sendRawHttp(server.metricsPort, { path: '/readyz' })).json
  for (let round = 0; round < 2; round += 1) {
    await until(async () => (await readiness()).workers.ready === 2)
    const before = new Set(server.lines)
    // Some of them go with the worker.
    for (let n = 0; n < 60; n += 1)
      sendRawHttp(server.httpPort, { path: '/users/me' }).catch(() => {})
    const line = await server.waitForLine((line) => line.msg === 'call' && !before.has(line))
    process.kill(Number(line.pid), 'SIGKILL')
  }
  await until(async () => (await readiness()).workers.ready === 2)
  t.like(await readiness(), { ready: true })
  server.child.kill('SIGTERM')
  t.deepEqual(await server.exited, { code: 0, signal: null })
})

test('workers end when their primary is killed', async (t) => {
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, WORKERS: '2' }
  const server = await startServer(t, folder, settings)
  await Promise.all(
    Array.from({ length: 10 }, () => sendRawHttp(server.httpPort, { path: '/users/me' })),
  )
  server.child.kill('SIGKILL')
  // Their ends of the pipes close with them.
  t.is((await server.exited).signal, 'SIGKILL')
})

test('a worker that can’t listen is a failure to start', async (t) => {
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url }
  const first = await startServer(t, folder, settings)
  const again = { ...settings, WORKERS: '2', HTTP_PORT: String(first.httpPort) }
  await t.throwsAsync(startServer(t, folder, again), { message: /EADDRINUSE/ })
})

async function until(isSo: () => Promise<boolean>) {
  const deadline = performance.now() + 10_000
  while (!(await isSo()) && performance.now() < deadline) await sleep(50)
}
