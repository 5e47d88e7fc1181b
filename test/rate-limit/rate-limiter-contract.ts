import { randomUUID } from 'node:crypto'
import test, { type ExecutionContext } from 'ava'
import fc from 'fast-check'
import type {
  RateLimiter,
  RateLimitWindow,
  RateLimitWindows,
} from '../../src/rate-limit/rate-limiter.ts'

const minute = { name: 'all', limit: 10, period: 60 }
const method = { name: 'method', limit: 3, period: 60 }
const all = { name: 'all', limit: 5, period: 60 }

/** Registers the tests of the `RateLimiter` contract. `create` receives a clock in milliseconds. */
export function testRateLimiter(title: string, create: (now: () => number) => RateLimiter) {
  let time = 1_700_000_000_000
  const rateLimiter = create(() => time)
  test.after.always(() => rateLimiter.close())

  // Tests run sequentially because they share the clock. Each has its own client.
  const contract = (name: string, body: (t: ExecutionContext, client: Client) => Promise<void>) =>
    test.serial(`${title}: ${name}`, async (t) => {
      let start = time
      const id = randomUUID()
      await body(t, {
        setTime: (seconds) => {
          time = start + Math.round(seconds * 1000)
        },
        restart: () => {
          start = time
        },
        take: (...list) => rateLimiter.take(id, list as unknown as RateLimitWindows),
        takeAsOther: (...list) =>
          rateLimiter.take(`${id}-other`, list as unknown as RateLimitWindows),
        takeMany: async (count, ...list) => {
          let allowed = 0
          for (let i = 0; i < count; i++) {
            if ((await rateLimiter.take(id, list as unknown as RateLimitWindows)).allowed)
              allowed += 1
          }
          return allowed
        },
      })
      time += 1_000_000
    })

  contract(
    'the result contains the limit, the remaining requests, reset and retryAfter',
    async (t, client) => {
      t.deepEqual(await client.take(method), {
        ...method,
        allowed: true,
        remaining: 2,
        reset: 60,
        retryAfter: 0,
      })
      client.setTime(10.5)
      await client.take(method)
      const third = await client.take(method)
      t.deepEqual([third.allowed, third.remaining, third.reset], [true, 0, 50])
      t.deepEqual(await client.take(method), {
        ...method,
        allowed: false,
        remaining: 0,
        reset: 50,
        retryAfter: 50,
      })
    },
  )

  contract('a burst at the end of one minute counts in the next minute', async (t, client) => {
    client.setTime(59.9)
    t.is(await client.takeMany(10, minute), 10)
    client.setTime(60.1)
    t.is(await client.takeMany(10, minute), 0)
    t.is((await client.take(minute)).retryAfter, 60)
    client.setTime(119.8)
    t.is((await client.take(minute)).retryAfter, 1)
    client.setTime(119.9)
    t.is(await client.takeMany(19, minute), 10)
  })

  contract(
    'a request stops counting exactly one period after it was allowed',
    async (t, client) => {
      t.is(await client.takeMany(3, method), 3)
      client.setTime(59.999)
      t.deepEqual(
        await client.take(method).then(({ allowed, retryAfter }) => [allowed, retryAfter]),
        [false, 1],
      )
      client.setTime(60)
      t.true((await client.take(method)).allowed)
    },
  )

  contract('requests stop counting one by one', async (t, client) => {
    for (const second of [0, 10, 20]) {
      client.setTime(second)
      t.is(await client.takeMany(1, method), 1)
    }
    for (const [second, wait] of [
      [60, 10],
      [70, 10],
      [80, 40],
    ] as const) {
      client.setTime(second)
      t.is(await client.takeMany(2, method), 1)
      t.is((await client.take(method)).retryAfter, wait)
    }
  })

  contract('a rejected request does not count', async (t, client) => {
    t.is(await client.takeMany(3, method), 3)
    client.setTime(30)
    t.is(await client.takeMany(50, method), 0)
    client.setTime(60)
    t.is(await client.takeMany(50, method), 3)
  })

  contract('after retryAfter, a request is allowed by every window', async (t, client) => {
    for (const list of [
      [method, all],
      [all, method],
    ]) {
      t.is(await client.takeMany(2, all), 2)
      client.setTime(10.7)
      t.is(await client.takeMany(3, method, all), 3)
      client.setTime(23.3)
      const rejected = await client.take(...list)
      t.deepEqual([rejected.name, rejected.retryAfter], ['method', 48])
      client.setTime(23.3 + 47)
      t.false((await client.take(...list)).allowed)
      client.setTime(23.3 + 48)
      t.true((await client.take(...list)).allowed)
      client.setTime(1000)
      client.restart()
    }
  })

  contract(
    'a request that the first window rejects does not count in the second',
    async (t, client) => {
      t.is(await client.takeMany(20, method, all), 3)
      const result = await client.take(all)
      t.deepEqual([result.allowed, result.remaining], [true, 1])
    },
  )

  contract(
    'a request that the second window rejects does not count in the first',
    async (t, client) => {
      t.is(await client.takeMany(5, all), 5)
      const rejected = await client.take(method, all)
      t.deepEqual([rejected.allowed, rejected.name, rejected.remaining], [false, 'all', 0])
      t.is((await client.take(method)).remaining, 2)
    },
  )

  contract('the result describes the most restrictive window', async (t, client) => {
    t.is((await client.take(method, all)).name, 'method')
    await client.takeMany(3, all)
    t.is((await client.take(method, all)).name, 'all')
    client.setTime(20)
    const rejected = await client.take(method, all)
    t.deepEqual([rejected.allowed, rejected.name, rejected.retryAfter], [false, 'all', 40])
    client.setTime(60)
    await client.takeMany(3, method)
    client.setTime(61)
    t.deepEqual(await client.take(method, all).then(({ name, retryAfter }) => [name, retryAfter]), [
      'method',
      59,
    ])
  })

  contract('the number of concurrent requests allowed is exactly the limit', async (t, client) => {
    const results = await Promise.all(Array.from({ length: 50 }, () => client.take(method, all)))
    t.is(results.filter(({ allowed }) => allowed).length, 3)
    const rest = await Promise.all(Array.from({ length: 3 }, () => client.take(all)))
    t.is(rest.filter(({ allowed }) => allowed).length, 2)
  })

  contract('each client and window name is counted separately', async (t, client) => {
    t.is(await client.takeMany(4, method), 3)
    t.is((await client.takeAsOther(method)).remaining, 2)
    t.is((await client.take({ ...method, name: 'method-2' })).remaining, 2)
  })

  contract('a lowered limit applies to requests that were already allowed', async (t, client) => {
    for (const second of [0, 1, 2, 3, 4]) {
      client.setTime(second)
      await client.take(all)
    }
    const lowered = { ...all, limit: 2 }
    t.is((await client.take(lowered)).retryAfter, 59)
    client.setTime(63)
    t.true((await client.take(lowered)).allowed)
  })

  contract('any text is a valid client', async (t) => {
    for (const name of ['', '}', '{}', '{a}', 'a}:method', '\0 é']) {
      const client = `${name}${randomUUID()}`
      t.true((await rateLimiter.take(client, [method, all])).allowed)
      t.is((await rateLimiter.take(client, [method, all])).remaining, 1)
    }
    t.true(
      (
        await rateLimiter.take('', [
          { ...method, name: randomUUID() },
          { ...all, name: randomUUID() },
        ])
      ).allowed,
    )
  })

  contract('results agree with a model', async (t) => {
    // Redis keeps a window for its period of real time, so short periods would end during a pause.
    const lists: RateLimitWindow[][] = [
      [{ name: 'a', limit: 2, period: 60 }],
      [{ name: 'all', limit: 4, period: 180 }],
      [
        { name: 'a', limit: 2, period: 60 },
        { name: 'all', limit: 4, period: 180 },
      ],
      [
        { name: 'b', limit: 3, period: 300 },
        { name: 'all', limit: 4, period: 180 },
      ],
    ]
    const step = fc.record({
      after: fc.oneof(fc.constantFrom(0, 0, 0, 1, 59_999, 60_000, 180_000), fc.nat(42_000)),
      client: fc.constantFrom('x', 'y'),
      list: fc.constantFrom(...lists),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const run = randomUUID()
        const model = createModel()
        for (const { after, client, list } of steps) {
          time += after
          const { allowed, remaining, retryAfter } = await rateLimiter.take(
            `${run}-${client}`,
            list as unknown as RateLimitWindows,
          )
          const expected = model(client, list, time)
          if (
            allowed !== expected.allowed ||
            remaining !== expected.remaining ||
            retryAfter !== expected.retryAfter
          ) {
            throw new Error(
              `Expected ${JSON.stringify(expected)}, got ${JSON.stringify({ allowed, remaining, retryAfter })}`,
            )
          }
        }
      }),
      { numRuns: 100 },
    )
    t.pass()
  })
}

type Client = {
  /** Sets the clock, in seconds since the start of the test. */
  setTime(seconds: number): void
  /** Makes the current time the start of the test. */
  restart(): void
  take(...list: RateLimitWindow[]): ReturnType<RateLimiter['take']>
  takeAsOther(...list: RateLimitWindow[]): ReturnType<RateLimiter['take']>
  /** Sends requests sequentially. Returns the number of allowed requests. */
  takeMany(count: number, ...list: RateLimitWindow[]): Promise<number>
}

/**
 * Creates a model of the contract, which counts the allowed requests of the period and finds
 * `retryAfter` by trying every second.
 */
function createModel() {
  const allowedRequests: { client: string; name: string; time: number }[] = []
  return (client: string, list: RateLimitWindow[], now: number) => {
    const countRemaining = (window: RateLimitWindow, time: number) =>
      window.limit -
      allowedRequests.filter(
        (request) =>
          request.client === client &&
          request.name === window.name &&
          time - request.time < window.period * 1000,
      ).length
    const isFree = (time: number) => list.every((window) => countRemaining(window, time) > 0)
    let retryAfter = 0
    while (!isFree(now + retryAfter * 1000)) retryAfter += 1
    const allowed = retryAfter === 0
    if (allowed) for (const { name } of list) allowedRequests.push({ client, name, time: now })
    const remaining = allowed ? Math.min(...list.map((window) => countRemaining(window, now))) : 0
    return { allowed, remaining, retryAfter }
  }
}
