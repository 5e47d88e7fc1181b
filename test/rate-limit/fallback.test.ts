import { randomUUID } from 'node:crypto'
import test from 'ava'
import { Redis } from 'ioredis'
import { createFallbackRateLimiter } from '../../src/rate-limit/fallback.ts'
import { createInProcessRateLimiter } from '../../src/rate-limit/in-process.ts'
import type { RateLimiter } from '../../src/rate-limit/rate-limiter.ts'
import { createRedisRateLimiter } from '../../src/rate-limit/redis.ts'
import { waitUntil } from '../support/wait-until.ts'
import { testRateLimiter } from './rate-limiter-contract.ts'
import { isRedisInstalled, longTimeouts, startRedis } from './redis-server.ts'

const window = { name: 'all', limit: 3, period: 60 }

/** Creates a fallback rate limiter for `shared`, and a list of its state changes. */
function createObservedRateLimiter(shared: RateLimiter) {
  const changes: string[] = []
  const rateLimiter = createFallbackRateLimiter({
    shared,
    local: createInProcessRateLimiter(),
    probeInterval: 20,
    onDegraded: (error) => changes.push(`degraded: ${(error as Error).message}`),
    onRecovered: () => changes.push('recovered'),
  })
  return { rateLimiter, changes }
}

/** Counts one request of a new client in Redis, retrying if Redis is slow. Returns the client. */
async function countInRedis(
  rateLimiter: ReturnType<typeof createObservedRateLimiter>['rateLimiter'],
) {
  for (;;) {
    const client = randomUUID()
    await waitUntil(() => !rateLimiter.degraded)
    await rateLimiter.take(client, [window])
    if (!rateLimiter.degraded) return client
  }
}

for (const isBroken of [false, true]) {
  testRateLimiter(isBroken ? 'fallback, degraded' : 'fallback', (now) => {
    const counting = createInProcessRateLimiter({ now })
    const failing = { ...counting, take: () => Promise.reject(new Error('unavailable')) }
    return createFallbackRateLimiter({
      shared: isBroken ? failing : counting,
      local: isBroken ? counting : failing,
      onDegraded: () => {},
      onRecovered: () => {},
    })
  })
}

test('the rate limiter recovers automatically and reports each change of state once', async (t) => {
  let isUnavailable = true
  let calls = 0
  const counting = createInProcessRateLimiter()
  const { rateLimiter, changes } = createObservedRateLimiter({
    ...counting,
    take(...args) {
      calls += 1
      return isUnavailable ? Promise.reject(new Error('unavailable')) : counting.take(...args)
    },
  })
  t.false(rateLimiter.degraded)
  const results = await Promise.all(
    Array.from({ length: 9 }, () => rateLimiter.take('a', [window])),
  )
  t.is(results.filter(({ allowed }) => allowed).length, 3)
  t.true(rateLimiter.degraded)
  await rateLimiter.take('a', [window])
  t.is(calls, 10, 'while degraded, requests do not use the shared rate limiter')
  await waitUntil(() => calls > 12)
  t.deepEqual(changes, ['degraded: unavailable'])

  isUnavailable = false
  await waitUntil(() => !rateLimiter.degraded)
  t.deepEqual(changes, ['degraded: unavailable', 'recovered'])
  t.is((await rateLimiter.take('a', [window])).remaining, 2)

  isUnavailable = true
  await rateLimiter.take('a', [window])
  t.deepEqual(changes, ['degraded: unavailable', 'recovered', 'degraded: unavailable'])
  await rateLimiter.close()
  const callsAtClose = calls
  await new Promise((resolve) => setTimeout(resolve, 60))
  t.is(calls, callsAtClose, 'it does not probe after close')
})

test('an outage at the start is reported before the first request', async (t) => {
  const counting = createInProcessRateLimiter()
  const shared = { ...counting, take: () => Promise.reject(new Error('unavailable')) }
  const { rateLimiter, changes } = createObservedRateLimiter(shared)
  t.teardown(() => rateLimiter.close())
  await waitUntil(() => changes.length > 0)
  t.deepEqual(changes, ['degraded: unavailable'])
  t.true(rateLimiter.degraded)
})

if (isRedisInstalled) {
  for (const cluster of [false, true]) {
    const kind = cluster ? 'Redis Cluster' : 'Redis'

    test(`if ${kind} hangs or exits, requests are counted in the process until it recovers`, async (t) => {
      const server = await startRedis({ cluster })
      const url = cluster ? `${server.url},${server.url}` : server.url
      const { rateLimiter, changes } = createObservedRateLimiter(createRedisRateLimiter({ url }))
      t.teardown(async () => {
        await rateLimiter.close()
        await server.stop()
      })
      t.true((await rateLimiter.take(randomUUID(), [window])).allowed)

      for (const [fail, repair] of [
        [server.hang, server.resume],
        [server.stop, server.start],
      ] as const) {
        const client = await countInRedis(rateLimiter)
        await fail()
        const before = performance.now()
        const results = await Promise.all(
          Array.from({ length: 20 }, () => rateLimiter.take(client, [window])),
        )
        t.true(
          performance.now() - before < 10_000,
          'the first requests wait no longer than the timeout',
        )
        t.is(results.filter(({ allowed }) => allowed).length, 3)
        t.true(rateLimiter.degraded)

        const times: number[] = []
        for (let index = 0; index < 10; index += 1) {
          const startedAt = performance.now()
          t.false((await rateLimiter.take(client, [window])).allowed)
          times.push(performance.now() - startedAt)
        }
        t.true(Math.min(...times) < 250, 'later requests do not wait')

        await repair()
        await waitUntil(() => !rateLimiter.degraded)
        t.true((await rateLimiter.take(randomUUID(), [window])).allowed)
      }
      // A slow machine adds changes.
      const names = changes.map((line) => line.replace(/:.*/s, ''))
      t.true(names.length >= 4)
      t.deepEqual(
        names,
        names.map((_, index) => (index % 2 ? 'recovered' : 'degraded')),
      )
      t.is(names.at(-1), 'recovered')
    })
  }

  test('a value of another type in Redis does not let more requests pass', async (t) => {
    const server = await startRedis()
    const redis = new Redis(server.url)
    const { rateLimiter, changes } = createObservedRateLimiter(
      createRedisRateLimiter({ url: server.url, timeouts: longTimeouts }),
    )
    t.teardown(async () => {
      redis.disconnect()
      await rateLimiter.close()
      await server.stop()
    })
    const windows = [window, { name: 'method', limit: 30, period: 60 }] as const
    for (const write of [
      (key: string) => redis.set(key, '1'),
      (key: string) => redis.hset(key, 'field', '1'),
      (key: string) => redis.zadd(key, 1, 'member'),
    ]) {
      const client = await countInRedis(rateLimiter)
      await write(`daikon:{limit:${client}}:method`)
      let allowed = 0
      for (let index = 0; index < 20; index += 1) {
        const result = await rateLimiter.take(client, [...windows])
        if (result.allowed) allowed += 1
      }
      t.is(allowed, window.limit - 1)
    }
    t.deepEqual(changes, [])
  })

  test('Redis is used once it is available, even if it starts after the rate limiter', async (t) => {
    const server = await startRedis()
    await server.stop()
    const { rateLimiter, changes } = createObservedRateLimiter(
      createRedisRateLimiter({ url: server.url, timeouts: longTimeouts }),
    )
    t.teardown(async () => {
      await rateLimiter.close()
      await server.stop()
    })
    t.true((await rateLimiter.take('a', [window])).allowed)
    t.regex(changes.join(), /^degraded: .*ECONNREFUSED/)
    await server.start()
    await waitUntil(() => !rateLimiter.degraded)
    t.is(changes.at(-1), 'recovered')
  })
}
