import test from 'ava'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

const isSilent = ({ msg }: { msg: string }) => msg.startsWith('A worker does not respond, and')

// Serial: each starts three processes, which would take too long to connect to the database side by side.
test.serial(
  'workers share both ports and rate limits, and are aggregated on the operations port',
  async (t) => {
    const folder = createKeyFolder(t)
    const settings = { DATABASE_URL: database.url, WORKERS: '2', LOG_LEVEL: 'debug' }
    const server = await startServer(t, folder, settings)
    const readiness = async () => (await sendRawHttp(server.metricsPort, { path: '/readyz' })).json
    t.like(await readiness(), { ready: true, workers: { ready: 2, wanted: 2 } })

    const startedAt = performance.now()
    // Separate connections, so that both workers are called.
    const responses = await Promise.all(
      Array.from({ length: 40 }, () => sendRawHttp(server.httpPort, { path: '/users/me' })),
    )
    t.is(responses.filter(({ status }) => status === 401).length, 30)
    t.is(responses.filter(({ status }) => status === 429).length, 10)
    let text = ''
    const counted = (code: string) =>
      text.match(
        new RegExp(`^daikon_calls_total{.*GetMe.*transport="http",code="${code}"} (\\d+)$`, 'm'),
      )?.[1]
    // What a busy worker has counted can arrive too late to be served.
    await waitUntil(async () => {
      text = (await sendRawHttp(server.metricsPort, { path: '/metrics' })).text
      return counted('unauthenticated') === '30' && counted('resource_exhausted') === '10'
    })
    t.regex(text, /^daikon_ready 1$/m)
    const workers = () =>
      new Set(server.lines.filter(({ msg }) => msg === 'call').map(({ pid }) => pid))
    // The lines can arrive after the responses.
    await waitUntil(() => workers().size === 2)

    // A worker that dies is replaced, and the ports stay the same.
    const [victim] = [...workers()] as [number]
    process.kill(victim, 'SIGKILL')
    await server.waitForLine(({ msg }) => msg.startsWith('A worker died'))
    await waitUntil(async () => (await readiness()).workers.ready === 2)
    t.like(await readiness(), { ready: true, workers: { ready: 2, wanted: 2 } })
    // Rate limits survive the worker. On a busy machine, it may take a minute to replace it.
    const { status } = await sendRawHttp(server.httpPort, { path: '/users/me' })
    t.true(status === 429 || performance.now() - startedAt > 60_000, String(status))
    t.is((await sendRawHttp(server.httpPort, { path: '/health' })).status, 200)

    const environment = await connectToServer(folder, server, database)
    for (const transport of environment.transports.slice(0, 1)) {
      const fixture = await createWorkspaceFixture(environment, transport)
      const record = await fixture.register(fixture.people.viewer)
      t.true(await fixture.isAllowed(fixture.people.viewer, 'view', record))
    }
    for (const transport of environment.transports) transport.close()

    const pids = workers()
    server.child.kill('SIGTERM')
    t.deepEqual(await server.exited, { code: 0, signal: null })
    for (const pid of pids) t.throws(() => process.kill(pid, 0), { code: 'ESRCH' })
  },
)

test.serial(
  'workers that are killed under load are replaced, and the primary keeps running',
  async (t) => {
    const folder = createKeyFolder(t)
    const settings = { DATABASE_URL: database.url, WORKERS: '2', LOG_LEVEL: 'debug' }
    const server = await startServer(t, folder, settings)
    const readiness = async () => (await sendRawHttp(server.metricsPort, { path: '/readyz' })).json
    for (let round = 0; round < 2; round += 1) {
      await waitUntil(async () => (await readiness()).workers.ready === 2)
      const before = new Set(server.lines)
      // Some calls fail with the worker.
      for (let n = 0; n < 60; n += 1)
        sendRawHttp(server.httpPort, { path: '/users/me' }).catch(() => {})
      const line = await server.waitForLine((line) => line.msg === 'call' && !before.has(line))
      process.kill(Number(line.pid), 'SIGKILL')
    }
    await waitUntil(async () => (await readiness()).workers.ready === 2)
    t.like(await readiness(), { ready: true })
    server.child.kill('SIGTERM')
    t.deepEqual(await server.exited, { code: 0, signal: null })
  },
)

test.serial('a worker that hangs does not block probes, and is replaced and counted', async (t) => {
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, WORKERS: '2', LOG_LEVEL: 'debug' }
  const server = await startServer(t, folder, settings)
  const probe = (path: string) => sendRawHttp(server.metricsPort, { path })
  const readValue = async (series: RegExp) =>
    Number(series.exec((await probe('/metrics')).text)?.[1] ?? Number.NaN)
  const replaced = /^daikon_worker_replacements_total{reason="unresponsive"} (\d+)$/m
  const rejected = /^daikon_calls_total{.*GetMe.*code="unauthenticated"} (\d+)$/m
  const call = () => sendRawHttp(server.httpPort, { path: '/users/me' })
  await Promise.all(Array.from({ length: 20 }, call))
  await waitUntil(async () => (await readValue(rejected)) === 20)
  t.is(await readValue(replaced), 0)
  await waitUntil(() => server.lines.filter(({ msg }) => msg === 'call').length === 20)

  const { pid } = server.lines.find(({ msg }) => msg === 'call') as { pid: number }
  process.kill(pid, 'SIGSTOP')
  t.teardown(() => {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  })
  const calls = Array.from({ length: 4 }, call)
  const isReplaced = () => server.lines.some(({ msg }) => msg.startsWith('A worker died'))
  const [readiness, counted, ready] = await Promise.all([
    probe('/readyz'),
    readValue(rejected),
    readValue(/^daikon_ready (\d)$/m),
  ])
  t.false(isReplaced())
  t.is(readiness.status, 503)
  t.like(readiness.json, { ready: false, database: 'ok', workers: { ready: 1, wanted: 2 } })
  // Counters never fall, which Prometheus would take for a restart.
  t.true(counted >= 20)
  t.is(ready, 0)

  await server.waitForLine(({ msg }) => msg.startsWith('A worker does not respond'))
  // Another worker accepts the connection that was given to it.
  for (const { status } of await Promise.all(calls)) t.is(status, 401)
  await waitUntil(async () => (await probe('/readyz')).status === 200)
  t.false(isRunning(pid))
  t.is(await readValue(replaced), 1)
  t.true((await readValue(rejected)) >= 20)
  server.child.kill('SIGTERM')
  t.deepEqual(await server.exited, { code: 0, signal: null })
})

test.serial('a worker that does not respond gets no new connections until it does', async (t) => {
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, WORKERS: '2', LOG_LEVEL: 'debug' }
  const server = await startServer(t, folder, settings)
  const call = () => sendRawHttp(server.httpPort, { path: '/users/me' })
  const pids = () => server.lines.filter(({ msg }) => msg === 'call').map(({ pid }) => pid)
  await waitUntil(async () => {
    await call()
    return new Set(pids()).size === 2
  })

  const [pid] = pids() as [number]
  t.teardown(() => {
    if (isRunning(pid)) process.kill(pid, 'SIGKILL')
  })
  process.kill(pid, 'SIGSTOP')
  await server.waitForLine(isSilent)
  const before = pids().length
  // One after the other, and side by side.
  for (let n = 0; n < 4; n += 1) await call()
  await Promise.all(Array.from({ length: 20 }, call))
  await waitUntil(() => pids().length === before + 24)
  t.false(pids().slice(before).includes(pid))
  t.false(server.lines.some(({ msg }) => msg.endsWith('is killed')))

  process.kill(pid, 'SIGCONT')
  await waitUntil(async () => {
    await call()
    return pids().slice(before).includes(pid)
  })
  t.true(isRunning(pid))
  server.child.kill('SIGTERM')
  t.deepEqual(await server.exited, { code: 0, signal: null })
})

test.serial('a worker that hangs does not block the end of the server', async (t) => {
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, WORKERS: '2', LOG_LEVEL: 'debug' }
  const server = await startServer(t, folder, settings)
  await sendRawHttp(server.httpPort, { path: '/users/me' })
  const { pid } = await server.waitForLine(({ msg }) => msg === 'call')
  process.kill(pid, 'SIGSTOP')
  server.child.kill('SIGTERM')
  t.deepEqual(await server.exited, { code: 0, signal: null })
  t.true(server.lines.some(({ msg }) => msg.startsWith('A worker does not respond')))
  t.false(isRunning(pid))
})

/** Makes the primary slow to give the next connection to a worker, as on a saturated machine. */
const slowPrimary = `
  import cluster from 'node:cluster'
  const pause = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 200)
  cluster.on('fork', ({ process }) =>
    process.on('internalMessage', ({ ack }) => ack !== undefined && pause()))`

/** Makes the primary slow to look again at a connection that it holds for a worker that does not respond. */
const slowLooks = `
  const { setInterval } = globalThis
  globalThis.setInterval = (look, pause, ...rest) =>
    setInterval(look, pause < 100 ? 1000 : pause, ...rest)`

for (const { state, preload, connections, areHeld } of [
  { state: 'has accepted', preload: slowPrimary, connections: 12, areHeld: false },
  { state: 'responds to get', preload: slowLooks, connections: 1, areHeld: true },
])
  test.serial(
    `a server that stops hands out the connections that no worker ${state}`,
    async (t) => {
      const folder = createKeyFolder(t)
      const server = await startServer(t, folder, {
        DATABASE_URL: database.url,
        WORKERS: '2',
        LOG_LEVEL: 'debug',
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(preload)}`,
      })
      const pids = () =>
        new Set(server.lines.filter(({ msg }) => msg === 'call').map(({ pid }) => pid))
      await Promise.all(
        Array.from({ length: 6 }, () => sendRawHttp(server.httpPort, { path: '/users/me' })),
      )
      await waitUntil(() => pids().size === 2)
      const signal = (name: NodeJS.Signals) => {
        for (const pid of pids()) if (isRunning(pid)) process.kill(pid, name)
      }
      t.teardown(() => signal('SIGKILL'))

      signal('SIGSTOP')
      if (areHeld) await waitUntil(() => server.lines.filter(isSilent).length === 2)
      const responses = Promise.allSettled(
        Array.from({ length: connections }, () =>
          sendRawHttp(server.httpPort, { path: '/health' }),
        ),
      )
      // The system has the connections when the primary responds on a later one.
      await sendRawHttp(server.metricsPort, { path: '/livez' })
      server.child.kill('SIGTERM')
      await server.waitForLine(({ msg }) => msg === 'Draining')
      signal('SIGCONT')

      for (const response of await responses)
        t.is(response.status === 'fulfilled' ? response.value.status : response.reason.code, 200)
      t.deepEqual(await server.exited, { code: 0, signal: null })
    },
  )

test.serial('workers exit when the primary is killed', async (t) => {
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, WORKERS: '2' }
  const server = await startServer(t, folder, settings)
  await Promise.all(
    Array.from({ length: 10 }, () => sendRawHttp(server.httpPort, { path: '/users/me' })),
  )
  server.child.kill('SIGKILL')
  // The server's pipes close only when all workers have exited.
  t.is((await server.exited).signal, 'SIGKILL')
})

test.serial('the server fails to start if its workers could not listen', async (t) => {
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url }
  const first = await startServer(t, folder, settings)
  const again = { ...settings, WORKERS: '2', HTTP_PORT: String(first.httpPort) }
  await t.throwsAsync(startServer(t, folder, again), { message: /is in use/ })
})
