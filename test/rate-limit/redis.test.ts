import { randomUUID } from 'node:crypto'
import test from 'ava'
import { Redis } from 'ioredis'
import { createRedisRateLimiter as createLimiter } from '../../src/rate-limit/redis.ts'
import { waitUntil } from '../support/wait-until.ts'
import { testRateLimiter } from './rate-limiter-contract.ts'
import { isRedisInstalled, longTimeouts, startRedis } from './redis-server.ts'

const createRedisRateLimiter = (options: { url: string; now?: () => number }) =>
  createLimiter({ ...options, timeouts: longTimeouts })

const configuredUrl = process.env.TEST_REDIS_URL
const server = !configuredUrl && isRedisInstalled ? await startRedis() : undefined
const url = configuredUrl ?? server?.url
const cluster = isRedisInstalled ? await startRedis({ cluster: true }) : undefined
test.after.always(async () => {
  await server?.stop()
  await cluster?.stop()
})

const all = { name: 'all', limit: 10, period: 60 }
const method = { name: 'method', limit: 3, period: 60 }

if (url) {
  testRateLimiter('redis', (now) => createRedisRateLimiter({ url, now }))

  test('redis: nodes share windows and the clock of Redis', async (t) => {
    const nodes = Array.from({ length: 4 }, () => createRedisRateLimiter({ url }))
    const client = randomUUID()
    const results = await Promise.all(
      Array.from({ length: 44 }, (_, i) => nodes[i % 4]?.take(client, [all])),
    )
    t.is(results.filter((result) => result?.allowed).length, 10)
    const retryAfter = results.find((result) => !result?.allowed)?.retryAfter ?? 0
    t.true(retryAfter > 0 && retryAfter <= 60, `${retryAfter} s`)

    const short = { name: 'short', limit: 1, period: 3 }
    t.true((await nodes[0]?.take(client, [short]))?.allowed)
    t.false((await nodes[1]?.take(client, [short]))?.allowed)
    await waitUntil(async () => (await nodes[2]?.take(client, [short]))?.allowed === true)
    await Promise.all(nodes.map((node) => node.close()))
  })

  test('redis: keys expire and contain only allowed requests', async (t) => {
    const rateLimiter = createRedisRateLimiter({ url })
    const redis = new Redis(url)
    const client = randomUUID()
    for (let i = 0; i < 9; i++) await rateLimiter.take(client, [method, all])
    const key = `daikon:{limit:${client}}`
    t.is(await redis.llen(`${key}:method`), 3)
    t.is(await redis.llen(`${key}:all`), 3)
    const ttl = await redis.pttl(`${key}:all`)
    t.true(ttl > 30_000 && ttl <= 61_000, `${ttl} ms`)
    redis.disconnect()
    await rateLimiter.close()
  })
}

if (cluster) {
  const nodes = `${cluster.url}, ${cluster.url}`
  testRateLimiter('cluster', (now) => createRedisRateLimiter({ url: nodes, now }))

  test('cluster: an unreachable node is skipped', async (t) => {
    const rateLimiter = createRedisRateLimiter({ url: `redis://127.0.0.1:1,${cluster.url}` })
    t.is((await rateLimiter.take(randomUUID(), [method, all])).remaining, 2)
    await rateLimiter.close()
  })
}

test('redis: without a server, take throws the cause and close succeeds', async (t) => {
  for (const unreachable of ['redis://127.0.0.1:1', 'redis://127.0.0.1:1,redis://127.0.0.1:1']) {
    const rateLimiter = createRedisRateLimiter({ url: unreachable })
    await t.throwsAsync(rateLimiter.take('a', [all]))
    await rateLimiter.close()
    await t.throwsAsync(rateLimiter.take('a', [all]))
  }
  const rateLimiter = createRedisRateLimiter({ url: 'redis://127.0.0.1:1' })
  await t.throwsAsync(rateLimiter.take('a', [all]), { message: /ECONNREFUSED/ })
  await rateLimiter.close()
})
