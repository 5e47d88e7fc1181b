import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createFallbackRateLimiter } from '../../src/rate-limit/fallback.ts'
import { createInProcessRateLimiter } from '../../src/rate-limit/in-process.ts'
import type { RateLimiter } from '../../src/rate-limit/rate-limiter.ts'
import { createRedisRateLimiter } from '../../src/rate-limit/redis.ts'
import { testRateLimiter } from './rate-limiter-contract.ts'
import { isRedisInstalled, startRedis } from './redis-server.ts'

const window = { name: 'all', limit: 3, period: 60 }

/** Windows over `shared`, with what they said. */
function watched(shared: RateLimiter) {
  const said: string[] = []
  const windows = createFallbackRateLimiter({
    shared,
    local: createInProcessRateLimiter(),
    retryEvery: 20,
    onDegraded: (reason) => said.push(`degraded: ${(reason as Error).message}`),
    onRecovered: () => said.push('recovered'),
  })
  return { windows, said }
}

async function until(condition: () => boolean) {
  const deadline = Date.now() + 10_000
  while (!condition() && Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}

for (const broken of [false, true]) {
  testRateLimiter(broken ? 'fallback, degraded' : 'fallback', (now) => {
    const counting = createInProcessRateLimiter({ now })
    const failing = { ...counting, take: () => Promise.reject(new Error('away')) }
    return createFallbackRateLimiter({
      shared: broken ? failing : counting,
      local: broken ? counting : failing,
      onDegraded: () => {},
      onRecovered: () => {},
    })
  })
}

test('each change is said once, and it recovers by itself', async (t) => {
  let away = true
  let asked = 0
  const counting = createInProcessRateLimiter()
  const { windows, said } = watched({
    ...counting,
    take(...args) {
      asked += 1
      return away ? Promise.reject(new Error('away')) : counting.take(...args)
    },
  })
  t.false(windows.degraded)
  const verdicts = await Promise.all(Array.from({ length: 9 }, () => windows.take('a', [window])))
  t.is(verdicts.filter(({ allowed }) => allowed).length, 3)
  t.true(windows.degraded)
  await windows.take('a', [window])
  t.is(asked, 9, 'no request waits for what is known to fail')
  await until(() => asked > 11)
  t.deepEqual(said, ['degraded: away'])

  away = false
  await until(() => !windows.degraded)
  t.deepEqual(said, ['degraded: away', 'recovered'])
  t.is((await windows.take('a', [window])).remaining, 2)

  away = true
  await windows.take('a', [window])
  t.deepEqual(said, ['degraded: away', 'recovered', 'degraded: away'])
  await windows.close()
  const last = asked
  await new Promise((resolve) => setTimeout(resolve, 60))
  t.is(asked, last, 'a closed one probes no more')
})

if (isRedisInstalled) {
  for (const cluster of [false, true]) {
    const kind = cluster ? 'a cluster' : 'Redis'

    test(`${kind} that hangs or dies does not stop the service`, async (t) => {
      const server = await startRedis({ cluster })
      const url = cluster ? `${server.url},${server.url}` : server.url
      const { windows, said } = watched(createRedisRateLimiter({ url }))
      t.teardown(async () => {
        await windows.close()
        await server.stop()
      })
      t.true((await windows.take(randomUUID(), [window])).allowed)

      for (const [fail, repair] of [
        [server.hang, server.resume],
        [server.stop, server.start],
      ] as const) {
        const client = randomUUID()
        await windows.take(client, [window])
        await fail()
        const before = performance.now()
        const verdicts = await Promise.all(
          Array.from({ length: 20 }, () => windows.take(client, [window])),
        )
        t.true(performance.now() - before < 1000, 'the first requests wait for a time-out at most')
        t.is(verdicts.filter(({ allowed }) => allowed).length, 3)
        t.true(windows.degraded)

        const again = performance.now()
        t.false((await windows.take(client, [window])).allowed)
        t.true(performance.now() - again < 50, 'later ones do not wait')

        await repair()
        await until(() => !windows.degraded)
        t.false(windows.degraded)
        t.true((await windows.take(randomUUID(), [window])).allowed)
      }
      t.deepEqual(
        said.map((line) => line.replace(/:.*/s, '')),
        ['degraded', 'recovered', 'degraded', 'recovered'],
      )
    })
  }

  test('a Redis that is away at the start is found when it comes', async (t) => {
    const server = await startRedis()
    await server.stop()
    const { windows, said } = watched(createRedisRateLimiter({ url: server.url }))
    t.teardown(async () => {
      await windows.close()
      await server.stop()
    })
    t.true((await windows.take('a', [window])).allowed)
    t.regex(said.join(), /^degraded: .*ECONNREFUSED/)
    await server.start()
    await until(() => !windows.degraded)
    t.is(said.at(-1), 'recovered')
  })
}
