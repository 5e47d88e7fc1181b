import { join } from 'node:path'
import test, { type ExecutionContext } from 'ava'
import { decodeProtectedHeader } from 'jose'
import { advanceRotation } from '../../src/identity/key-rotation.ts'
import { createAdmin } from '../support/admin.ts'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { seedServiceAccount } from '../support/request-fixture.ts'
import { createKeyFolder, type ServerProcess, startServer } from '../support/server-process.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

/** Starts two nodes that share the keys, which are reloaded only on a signal. */
async function startNodes(t: ExecutionContext) {
  const folder = createKeyFolder(t)
  const settings = {
    DATABASE_URL: database.url,
    RATE_LIMIT_ENABLED: 'false',
    RELOAD_INTERVAL_SECONDS: '3600',
  }
  // In sequence, because the second node uses the keys that the first creates.
  const first = await startServer(t, folder, settings)
  const nodes = [first, await startServer(t, folder, settings)]
  const connection = await connectToServer(folder, first, database)
  const other = await connectToServer(folder, nodes[1] as ServerProcess, database)
  const transports = [...connection.transports, ...other.transports]
  t.teardown(() => {
    for (const transport of transports) transport.close()
  })
  const admin = await createAdmin({ seed: connection.seed, app: connection })
  const [transport] = transports as [Transport]
  const fixture = await createWorkspaceFixture(connection, transport)
  const document = await fixture.register(fixture.people.owner, { visibility: 'workspace' })
  return {
    ...fixture,
    nodes,
    transports,
    paths: { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') },
    checks: [{ ...fixture.kind, resource_id: document.resource_id, action: 'view' }],
    callAdmin: async (method: string, message: object) =>
      expectOk(await admin.call(transport, method, message)),
  }
}

/** Rounds of traffic over each transport to each node between two steps. */
const roundsBetween = 10

/** Calls both nodes over both transports at the same time, and records what fails. */
function startTraffic(transports: Transport[], run: (transport: Transport) => Promise<void>) {
  const failures: string[] = []
  let isRunning = true
  const rounds = transports.map(() => 0)
  const loops = transports.map(async (transport, index) => {
    for (; isRunning; rounds[index] = (rounds[index] ?? 0) + 1)
      await run(transport).catch((error) => failures.push(`${transport.label}: ${error.message}`))
  })
  return {
    failures,
    /** Waits until calls have succeeded or failed in each place. */
    async pass() {
      const goals = rounds.map((round) => round + roundsBetween)
      await waitUntil(() => rounds.every((round, index) => round >= (goals[index] ?? 0)))
    },
    async stop() {
      isRunning = false
      await Promise.all(loops)
    },
  }
}

async function reload({ child, lines, waitForLine }: ServerProcess) {
  const count = () => lines.filter(({ msg }) => msg === 'Reloaded the signing keys').length
  const before = count()
  child.kill('SIGHUP')
  await waitForLine(() => count() > before)
}

test.serial('signing keys rotate under traffic without a rejected token', async (t) => {
  const { workspace, people, key, checks, callAdmin, nodes, transports, paths } =
    await startNodes(t)
  const account = await seedServiceAccount(database, workspace)
  const app = await callAdmin('CreateClientApp', {
    name: 'Exporter',
    type: 'confidential',
    redirect_uris: [],
    service_account_id: account,
  })
  const client = { client_id: app.id, client_secret: app.client_secret }
  const old = people.viewer.token
  const tokens = [old]
  const traffic = startTraffic(transports, async (transport) => {
    const grant = { grant_type: 'client_credentials', ...client }
    tokens.push(expectOk(await transport.call('IssueToken', grant)).access_token)
    // The latest token of any node, also of one that has reloaded the keys before this one.
    for (const token of [old, `${tokens.at(-1)}`, `${tokens[Math.floor(tokens.length / 2)]}`]) {
      const { results } = expectOk(await transport.call('Check', { checks }, { token, key }))
      if (!results[0].allowed) throw new Error('The check was not allowed')
    }
  })
  await traffic.pass()
  const schedule = { maxAge: 86_400_000, publicationTime: 900_000, retention: 28_800_000 }
  const advance = (hours: number) =>
    advanceRotation(paths, schedule, new Date(Date.now() + hours * 3_600_000)).steps
  for (const [hours, action] of [
    [24, 'published'],
    [25, 'activated'],
  ] as const) {
    t.like(advance(hours), { 0: { action }, length: 1 })
    for (const node of nodes) {
      await reload(node)
      await traffic.pass()
    }
  }
  await traffic.stop()
  t.deepEqual(traffic.failures, [])
  t.log(`${tokens.length} tokens`)
  const kids = new Set(tokens.map((token) => decodeProtectedHeader(token).kid))
  t.is(kids.size, 2)

  // The tokens of the old key have expired by now: it is dropped.
  t.like(advance(34), { 0: { action: 'dropped' }, length: 1 })
  await Promise.all(nodes.map(reload))
  for (const transport of transports) {
    const rejected = await transport.call('Check', { checks }, { token: old, key })
    t.is(expectError(rejected).reason, 'TOKEN_INVALID')
    expectOk(await transport.call('Check', { checks }, { token: `${tokens.at(-1)}`, key }))
  }
})

test.serial('service keys rotate under traffic without a rejected key', async (t) => {
  const { appId, people, key, checks, callAdmin, transports } = await startNodes(t)
  const keys = [key]
  const check = (transport: Transport, used: string) =>
    transport.call('Check', { checks }, { token: people.viewer.token, key: used })
  const traffic = startTraffic(transports, async (transport) => {
    for (const used of keys) expectOk(await check(transport, used))
  })
  const rotate = async (overlap_seconds: number) => {
    const message = { service_app_id: appId, overlap_seconds }
    return (await callAdmin('RotateServiceApp', message)).key as string
  }
  await traffic.pass()
  for (let rotation = 0; rotation < 3; rotation += 1) {
    keys.push(await rotate(600))
    await traffic.pass()
  }
  await traffic.stop()
  t.deepEqual(traffic.failures, [])

  const last = await rotate(0)
  for (const transport of transports) {
    for (const used of keys) t.is(expectError(await check(transport, used)).code, 'unauthenticated')
    expectOk(await check(transport, last))
  }
})
