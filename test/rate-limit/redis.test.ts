import { randomUUID } from 'node:crypto'
import test from 'ava'
import { Redis } from 'ioredis'
import { createRedisRateLimiter } from '../../src/rate-limit/redis.ts'
import { testRateLimiter } from './rate-limiter-contract.ts'
import { isRedisInstalled, startRedis } from './redis-server.ts'

const given = process.env.TEST_REDIS_URL
const own = !given && isRedisInstalled ? await startRedis() : undefined
const url = given ?? own?.url
const cluster = isRedisInstalled ? await startRedis({ cluster: true }) : undefined
test.after.always(async () => {
  await own?.stop()
  await cluster?.stop()
})

const all = { name: 'all', limit: 10, period: 60 }
const method = { name: 'method', limit: 3, period: 60 }

if (url) {
  testRateLimiter('redis', (now) => createRedisRateLimiter({ url, now }))

  test('redis: nodes share the windows, by its clock', async (t) => {
    const nodes = Array.from({ length: 4 }, () => createRedisRateLimiter({ url }))
    const client = randomUUID()
    const verdicts = await Promise.all(
      Array.from({ length: 44 }, (_, i) => nodes[i % 4]?.take(client, [all])),
    )
    t.is(verdicts.filter((verdict) => verdict?.allowed).length, 10)
    t.is(verdicts.find((verdict) => !verdict?.allowed)?.retryAfter, 60)

    const short = { name: 'short', limit: 1, period: 0.1 }
    t.true((await nodes[0]?.take(client, [short]))?.allowed)
    t.false((await nodes[1]?.take(client, [short]))?.allowed)
    await new Promise((resolve) => setTimeout(resolve, 110))
    t.true((await nodes[2]?.take(client, [short]))?.allowed)
    await Promise.all(nodes.map((node) => node.close()))
  })

  test('redis: keys expire, and only accepted requests are kept', async (t) => {
    const windows = createRedisRateLimiter({ url })
    const redis = new Redis(url)
    const client = randomUUID()
    for (let i = 0; i < 9; i++) await windows.take(client, [method, all])
    const key = `daikon:{limit:${client}}`
    t.is(await redis.llen(`${key}:method`), 3)
    t.is(await redis.llen(`${key}:all`), 3)
    const left = await redis.pttl(`${key}:all`)
    t.true(left > 55_000 && left <= 61_000, `${left} ms`)
    redis.disconnect()
    await windows.close()
  })
}

if (cluster) {
  const nodes = `${cluster.url}, ${cluster.url}`
  testRateLimiter('cluster', (now) => createRedisRateLimiter({ url: nodes, now }))

  test('cluster: an unreachable node does not matter', async (t) => {
    const windows = createRedisRateLimiter({ url: `redis://127.0.0.1:1,${cluster.url}` })
    t.is((await windows.take(randomUUID(), [method, all])).remaining, 2)
    await windows.close()
  })
}

test('redis: without a server it rejects with the reason, and lets go', async (t) => {
  for (const dead of ['redis://127.0.0.1:1', 'redis://127.0.0.1:1,redis://127.0.0.1:1']) {
    const windows = createRedisRateLimiter({ url: dead })
    await t.throwsAsync(windows.take('a', [all]))
    await windows.close()
    await t.throwsAsync(windows.take('a', [all]))
  }
  const windows = createRedisRateLimiter({ url: 'redis://127.0.0.1:1' })
  await t.throwsAsync(windows.take('a', [all]), { message: /ECONNREFUSED/ })
  await windows.close()
})
