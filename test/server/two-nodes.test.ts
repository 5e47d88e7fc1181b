import { createHash } from 'node:crypto'
import test from 'ava'
import { openDatabase } from '../../src/database/database.ts'
import { CodeStore } from '../../src/identity/store/code-store.ts'
import { isRedisInstalled, startRedis } from '../rate-limit/redis-server.ts'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const withRedis = isRedisInstalled ? test : test.skip
const database = await cloneDatabase()
test.after.always(() => database.drop())

withRedis('two nodes that share PostgreSQL and Redis behave as one server', async (t) => {
  const redis = await startRedis()
  t.teardown(redis.stop)
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, REDIS_URL: redis.url, TRUSTED_PROXIES: '1' }
  // Started in sequence, because the second node uses the keys that the first creates.
  const first = await startServer(t, folder, settings)
  const nodes = [first, await startServer(t, folder, settings)] as const
  const [one, other] = nodes
  const environments = await Promise.all(
    nodes.map((node) => connectToServer(folder, node, database)),
  )
  t.teardown(() => {
    for (const transport of environments.flatMap(({ transports }) => transports)) transport.close()
  })

  // Revocation: access revoked on one node is denied on the other at once.
  const [environment] = environments as [Awaited<ReturnType<typeof connectToServer>>]
  const transports = environments.flatMap(({ transports: [grpc] }) => grpc ?? [])
  for (const [here, there] of [transports, [...transports].reverse()] as [Transport, Transport][]) {
    const fixture = await createWorkspaceFixture(environment, here)
    const { people, key, kind } = fixture
    const record = await fixture.register(people.viewer)
    const checks = [{ ...kind, resource_id: record.resource_id, action: 'view' }]
    const check = () => there.call('Check', { checks }, fixture.as(people.editor))
    for (let round = 0; round < 50; round += 1) {
      await fixture.share(people.viewer, record, { user: people.editor.id }, 'view')
      t.like(await check(), { message: { results: [{ allowed: true }] } })
      const grant = { grantee_type: 'user', grantee_id: people.editor.id, permission: 'view' }
      await here.call('RevokeShare', { permission_id: record.id, ...grant }, { key })
      t.like(await check(), { message: { results: [{ allowed: false }] } })
    }
    // Logout invalidates the token on both nodes.
    t.true((await here.call('Logout', {}, { token: people.editor.token })).ok)
    t.like(await check(), { ok: false, code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
  }

  // Rate limits apply to both nodes together, unless Redis answers late on a busy machine.
  let client = 0
  await waitUntil(async () => {
    client += 1
    const headers = { 'x-forwarded-for': `192.0.2.${client}` }
    const responses = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        sendRawHttp((index % 2 ? one : other).httpPort, { path: '/users/me', headers }),
      ),
    )
    const allowed = responses.filter(({ status }) => status === 401)
    const rejected = responses.filter(({ status }) => status === 429)
    return allowed.length === 30 && rejected.length === 10
  })

  // Without Redis each node counts for itself and logs a warning.
  await redis.stop()
  const statuses: number[] = []
  for (const node of nodes) {
    statuses.push((await sendRawHttp(node.httpPort, { path: '/users/me' })).status)
    const { json } = await sendRawHttp(node.metricsPort, { path: '/readyz' })
    t.like(json, { ready: true, redis: 'away' })
    const { text } = await sendRawHttp(node.metricsPort, { path: '/metrics' })
    t.regex(text, /^daikon_redis_fallback 1$/m)
  }
  t.deepEqual(statuses, [401, 401])
  await redis.start()
  for (const node of nodes) {
    const isRedisAvailable = async () =>
      (await sendRawHttp(node.metricsPort, { path: '/readyz' })).json.redis === 'ok'
    await waitUntil(isRedisAvailable)
  }

  // One node stops, the other continues.
  one.child.kill('SIGTERM')
  t.is((await one.exited).code, 0)
  t.is((await sendRawHttp(other.httpPort, { path: '/health' })).status, 200)
})

test('a code issued by one node can be exchanged once at the other', async (t) => {
  const folder = createKeyFolder(t)
  const nodes = [
    await startServer(t, folder, { DATABASE_URL: database.url }),
    await startServer(t, folder, { DATABASE_URL: database.url }),
  ]
  const environments = await Promise.all(
    nodes.map((node) => connectToServer(folder, node, database)),
  )
  const [environment] = environments as [(typeof environments)[0]]
  const workspace = await environment.seed.workspace()
  const user = await environment.seed.newMember(workspace)
  const verifier = 'v'.repeat(43)
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url')
  const storage = await openDatabase(database.url, () => {})
  const authentication = {
    authenticatedAt: new Date(),
    isTimeReported: true,
    isStepUp: false,
    amr: [],
  }
  const grant = { userId: user, provider: 'google', authentication, codeChallenge }
  const code = await new CodeStore(storage.fork()).issue(grant, new Date())
  await storage.close()
  const message = { code, workspace_id: workspace, code_verifier: verifier }
  const outcomes = await Promise.all(
    Array.from({ length: 8 }, (_, index) => {
      const transport = environments[index % 2]?.transports[0]
      return transport?.call('ExchangeToken', message)
    }),
  )
  t.is(outcomes.filter((outcome) => outcome?.ok).length, 1)
  for (const transport of environments.flatMap(({ transports }) => transports)) transport.close()
})
