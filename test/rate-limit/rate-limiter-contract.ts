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

/** Registers the contract of the port for one implementation; `create` gets a clock in ms. */
export function testRateLimiter(title: string, create: (now: () => number) => RateLimiter) {
  let time = 1_700_000_000_000
  const windows = create(() => time)
  test.after.always(() => windows.close())

  /** Cases share the clock, so they run one after the other; each has a client of its own. */
  const sentence = (name: string, body: (t: ExecutionContext, client: Client) => Promise<void>) =>
    test.serial(`${title}: ${name}`, async (t) => {
      let start = time
      const id = randomUUID()
      await body(t, {
        at: (seconds) => {
          time = start + Math.round(seconds * 1000)
        },
        begin: () => {
          start = time
        },
        take: (...list) => windows.take(id, list as unknown as RateLimitWindows),
        other: (...list) => windows.take(`${id}-other`, list as unknown as RateLimitWindows),
        times: async (count, ...list) => {
          let allowed = 0
          for (let i = 0; i < count; i++) {
            if ((await windows.take(id, list as unknown as RateLimitWindows)).allowed) allowed += 1
          }
          return allowed
        },
      })
      time += 1_000_000
    })

  sentence('a verdict tells limit, remaining places, reset and wait', async (t, client) => {
    t.deepEqual(await client.take(method), {
      ...method,
      allowed: true,
      remaining: 2,
      reset: 60,
      retryAfter: 0,
    })
    client.at(10.5)
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
  })

  sentence('a burst before the boundary of a minute is remembered after it', async (t, client) => {
    client.at(59.9)
    t.is(await client.times(10, minute), 10)
    client.at(60.1)
    t.is(await client.times(10, minute), 0)
    t.is((await client.take(minute)).retryAfter, 60)
    client.at(119.8)
    t.is((await client.take(minute)).retryAfter, 1)
    client.at(119.9)
    t.is(await client.times(19, minute), 10)
  })

  sentence('a place is free exactly a period after it was taken', async (t, client) => {
    t.is(await client.times(3, method), 3)
    client.at(59.999)
    t.deepEqual(
      await client.take(method).then(({ allowed, retryAfter }) => [allowed, retryAfter]),
      [false, 1],
    )
    client.at(60)
    t.true((await client.take(method)).allowed)
  })

  sentence('places free one by one', async (t, client) => {
    for (const second of [0, 10, 20]) {
      client.at(second)
      t.is(await client.times(1, method), 1)
    }
    for (const [second, wait] of [
      [60, 10],
      [70, 10],
      [80, 40],
    ] as const) {
      client.at(second)
      t.is(await client.times(2, method), 1)
      t.is((await client.take(method)).retryAfter, wait)
    }
  })

  sentence('a refused request is not counted', async (t, client) => {
    t.is(await client.times(3, method), 3)
    client.at(30)
    t.is(await client.times(50, method), 0)
    client.at(60)
    t.is(await client.times(50, method), 3)
  })

  sentence('who waits retryAfter is allowed, by every window', async (t, client) => {
    for (const list of [
      [method, all],
      [all, method],
    ]) {
      t.is(await client.times(2, all), 2)
      client.at(10.7)
      t.is(await client.times(3, method, all), 3)
      client.at(23.3)
      const refused = await client.take(...list)
      t.deepEqual([refused.name, refused.retryAfter], ['method', 48])
      client.at(23.3 + 47)
      t.false((await client.take(...list)).allowed)
      client.at(23.3 + 48)
      t.true((await client.take(...list)).allowed)
      client.at(1000)
      client.begin()
    }
  })

  sentence('what the first window refuses does not count in the second', async (t, client) => {
    t.is(await client.times(20, method, all), 3)
    const left = await client.take(all)
    t.deepEqual([left.allowed, left.remaining], [true, 1])
  })

  sentence('what the second window refuses does not count in the first', async (t, client) => {
    t.is(await client.times(5, all), 5)
    const refused = await client.take(method, all)
    t.deepEqual([refused.allowed, refused.name, refused.remaining], [false, 'all', 0])
    t.is((await client.take(method)).remaining, 2)
  })

  sentence('a verdict speaks of the window that binds', async (t, client) => {
    t.is((await client.take(method, all)).name, 'method')
    await client.times(3, all)
    t.is((await client.take(method, all)).name, 'all')
    client.at(20)
    const refused = await client.take(method, all)
    t.deepEqual([refused.allowed, refused.name, refused.retryAfter], [false, 'all', 40])
    client.at(60)
    await client.times(3, method)
    client.at(61)
    t.deepEqual(await client.take(method, all).then(({ name, retryAfter }) => [name, retryAfter]), [
      'method',
      59,
    ])
  })

  sentence('of more requests in parallel exactly the limit is allowed', async (t, client) => {
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => client.take(method, all)))
    t.is(verdicts.filter(({ allowed }) => allowed).length, 3)
    const rest = await Promise.all(Array.from({ length: 3 }, () => client.take(all)))
    t.is(rest.filter(({ allowed }) => allowed).length, 2)
  })

  sentence('clients do not share windows, and neither do names', async (t, client) => {
    t.is(await client.times(4, method), 3)
    t.is((await client.other(method)).remaining, 2)
    t.is((await client.take({ ...method, name: 'method-2' })).remaining, 2)
  })

  sentence('a lowered limit holds for what was already taken', async (t, client) => {
    for (const second of [0, 1, 2, 3, 4]) {
      client.at(second)
      await client.take(all)
    }
    const lowered = { ...all, limit: 2 }
    t.is((await client.take(lowered)).retryAfter, 59)
    client.at(63)
    t.true((await client.take(lowered)).allowed)
  })

  sentence('any client name is a name', async (t) => {
    for (const name of ['', '}', '{}', '{a}', 'a}:method', '\0 é']) {
      const client = `${name}${randomUUID()}`
      t.true((await windows.take(client, [method, all])).allowed)
      t.is((await windows.take(client, [method, all])).remaining, 1)
    }
    t.true(
      (
        await windows.take('', [
          { ...method, name: randomUUID() },
          { ...all, name: randomUUID() },
        ])
      ).allowed,
    )
  })

  sentence('it agrees with a model that knows only the definition', async (t) => {
    const lists: RateLimitWindow[][] = [
      [{ name: 'a', limit: 2, period: 1 }],
      [{ name: 'all', limit: 4, period: 3 }],
      [
        { name: 'a', limit: 2, period: 1 },
        { name: 'all', limit: 4, period: 3 },
      ],
      [
        { name: 'b', limit: 3, period: 5 },
        { name: 'all', limit: 4, period: 3 },
      ],
    ]
    const step = fc.record({
      after: fc.oneof(fc.constantFrom(0, 0, 0, 1, 999, 1000, 3000), fc.nat(700)),
      client: fc.constantFrom('x', 'y'),
      list: fc.constantFrom(...lists),
    })
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const run = randomUUID()
        const model = createModel()
        for (const { after, client, list } of steps) {
          time += after
          const { allowed, remaining, retryAfter } = await windows.take(
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
              `${JSON.stringify({ allowed, remaining, retryAfter })}, not ${JSON.stringify(expected)}`,
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
  /** Sets the clock, in seconds since the case began. */
  at(seconds: number): void
  /** Lets the case begin anew at the present time. */
  begin(): void
  take(...list: RateLimitWindow[]): ReturnType<RateLimiter['take']>
  other(...list: RateLimitWindow[]): ReturnType<RateLimiter['take']>
  /** Takes so many times, one after the other, and counts what was allowed. */
  times(count: number, ...list: RateLimitWindow[]): Promise<number>
}

/** The definition, written down: count the accepted ones, try every second for the wait. */
function createModel() {
  const accepted: { client: string; name: string; at: number }[] = []
  return (client: string, list: RateLimitWindow[], now: number) => {
    const left = (window: RateLimitWindow, at: number) =>
      window.limit -
      accepted.filter(
        (one) =>
          one.client === client && one.name === window.name && at - one.at < window.period * 1000,
      ).length
    const free = (at: number) => list.every((window) => left(window, at) > 0)
    let retryAfter = 0
    while (!free(now + retryAfter * 1000)) retryAfter += 1
    const allowed = retryAfter === 0
    if (allowed) for (const { name } of list) accepted.push({ client, name, at: now })
    const remaining = allowed ? Math.min(...list.map((window) => left(window, now))) : 0
    return { allowed, remaining, retryAfter }
  }
}
