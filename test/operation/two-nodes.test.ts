import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import test from 'ava'
import { issueCode } from '../../src/identity/codes.ts'
import { openDatabase } from '../../src/storage/database.ts'
import { redisInstalled, startRedis } from '../limits/redis-server.ts'
import { cloneDatabase } from '../support/database.ts'
import type { Door } from '../support/doors.ts'
import { openOffice } from '../support/office.ts'
import { sendRaw } from '../support/raw.ts'
import { makeFolder, startServer } from '../support/server.ts'
import { openServer } from '../support/server-doors.ts'

const withRedis = redisInstalled ? test : test.skip
const database = await cloneDatabase()
test.after.always(() => database.drop())

withRedis('two processes on one PostgreSQL and one Redis are one server', async (t) => {
  const redis = await startRedis()
  t.teardown(redis.stop)
  const folder = makeFolder(t)
  const environment = { DATABASE_URL: database.url, REDIS_URL: redis.url }
  // One after the other: the second finds the keys that the first has made.
  const first = await startServer(t, folder, environment)
  const nodes = [first, await startServer(t, folder, environment)] as const
  const [one, other] = nodes
  const worlds = await Promise.all(nodes.map((node) => openServer(folder, node, database)))
  t.teardown(() => {
    for (const door of worlds.flatMap(({ doors }) => doors)) door.close()
  })

  // Revocation: what one node has acknowledged, the other denies from then on.
  const [world] = worlds as [Awaited<ReturnType<typeof openServer>>]
  const doors = worlds.flatMap(({ doors: [grpc] }) => grpc ?? [])
  for (const [here, there] of [doors, [...doors].reverse()] as [Door, Door][]) {
    const office = await openOffice(world, here)
    const { staff, key, kind } = office
    const record = await office.register(staff.viewer)
    const checks = [{ ...kind, resource_id: record.resource_id, action: 'view' }]
    const ask = () => there.call('Check', { checks }, office.as(staff.editor))
    for (let round = 0; round < 50; round += 1) {
      await office.share(staff.viewer, record, { user: staff.editor.id }, 'view')
      t.like(await ask(), { message: { results: [{ allowed: true }] } })
      const grant = { grantee_type: 'user', grantee_id: staff.editor.id, permission: 'view' }
      await here.call('RevokeShare', { permission_id: record.id, ...grant }, { key })
      t.like(await ask(), { message: { results: [{ allowed: false }] } })
    }
    // Logout denies the token everywhere.
    t.true((await here.call('Logout', {}, { token: staff.editor.token })).ok)
    t.like(await ask(), { ok: false, kind: 'unauthenticated', reason: 'TOKEN_REVOKED' })
  }

  // Limits: together they let through what one would.
  const answers = await Promise.all(
    Array.from({ length: 40 }, (_, at) =>
      sendRaw((at % 2 ? one : other).httpPort, { path: '/users/me' }),
    ),
  )
  t.is(answers.filter(({ status }) => status === 401).length, 30)
  t.is(answers.filter(({ status }) => status === 429).length, 10)

  // Redis away: both go on, each by itself, and say so.
  await redis.stop()
  const statuses: number[] = []
  for (const node of nodes) {
    statuses.push((await sendRaw(node.httpPort, { path: '/users/me' })).status)
    const { json } = await sendRaw(node.metricsPort, { path: '/readyz' })
    t.like(json, { ready: true, redis: 'away' })
    const { text } = await sendRaw(node.metricsPort, { path: '/metrics' })
    t.regex(text, /^daikon_redis_fallback 1$/m)
  }
  t.deepEqual(statuses, [401, 401])
  await redis.start()
  for (const node of nodes) {
    const isBack = async () =>
      (await sendRaw(node.metricsPort, { path: '/readyz' })).json.redis === 'ok'
    const deadline = performance.now() + 10_000
    while (!(await isBack()) && performance.now() < deadline) await sleep(100)
    t.true(await isBack())
  }

  // One stops, the other goes on.
  one.child.kill('SIGTERM')
  t.is((await one.ended).code, 0)
  t.is((await sendRaw(other.httpPort, { path: '/health' })).status, 200)
})

test('a code made by one node is exchanged at the other, once', async (t) => {
  const folder = makeFolder(t)
  const nodes = [
    await startServer(t, folder, { DATABASE_URL: database.url }),
    await startServer(t, folder, { DATABASE_URL: database.url }),
  ]
  const worlds = await Promise.all(nodes.map((node) => openServer(folder, node, database)))
  const [world] = worlds as [(typeof worlds)[0]]
  const workspace = await world.seed.workspace()
  const user = await world.seed.person(workspace)
  const verifier = 'v'.repeat(43)
  const codeChallenge = createHash('sha256').update(verifier).digest('base64url')
  const storage = openDatabase(database.url, () => {})
  const grant = { userId: user, provider: 'google', codeChallenge }
  const code = await issueCode(await storage.fork(), new Date(), grant)
  await storage.close()
  const message = { code, workspace_id: workspace, code_verifier: verifier }
  const endings = await Promise.all(
    Array.from({ length: 8 }, (_, at) => {
      const door = worlds[at % 2]?.doors[0]
      return door?.call('ExchangeToken', message)
    }),
  )
  t.is(endings.filter((ending) => ending?.ok).length, 1)
  for (const door of worlds.flatMap(({ doors }) => doors)) door.close()
})
