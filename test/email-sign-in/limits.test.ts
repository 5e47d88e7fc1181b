import test from 'ava'
import { createEmailEnvironment, Visitor } from '../support/email-sign-in.ts'

const environment = await createEmailEnvironment()
const { work, codeOf, mails, clock } = environment
test.after.always(() => environment.stop())

const start = Date.now()
const setMinutes = (minutes: number) => {
  clock.now = new Date(start + minutes * 60_000)
}
const countMails = (email: string) => mails.filter(({ to }) => to === email).length

/** Asks for a code in a new browser, over and over. Returns the number of e-mails. */
async function askOften(email: string, times: number, visitor?: Visitor): Promise<number> {
  const before = countMails(email)
  for (let time = 0; time < times; time += 1) {
    const { status } = await (visitor ?? new Visitor(environment)).ask(email)
    if (status !== 302) throw new Error(`${status}`)
    await work()
  }
  return countMails(email) - before
}

test.serial('an address gets five e-mails an hour and twenty a day', async (t) => {
  const email = 'counted@example.com'
  const counts: number[] = []
  for (let hour = 0; hour < 6; hour += 1) {
    setMinutes(hour * 61)
    counts.push(await askOften(email, 7))
  }
  t.deepEqual(counts, [5, 5, 5, 5, 0, 0])
  setMinutes(24 * 60 + 1)
  t.is(await askOften(email, 7), 5)
})

test.serial('a browser that has signed in as the address has its own budget', async (t) => {
  const email = 'victim@example.com'
  setMinutes(0)
  const known = new Visitor(environment)
  const asked = await known.ask(email)
  await work()
  t.truthy((await known.finish(asked.state, codeOf(email))).code)

  // The victim waits for a code, and strangers ask for others.
  const waiting = await known.ask(email)
  await work()
  const code = codeOf(email)
  await askOften(email, 10)
  t.truthy((await known.finish(waiting.state, code)).code)
  t.is(await askOften(email, 1), 0)
  t.is(await askOften(email, 7, known), 4)

  // Neither another address nor the cookie of another browser has that budget.
  t.is(await askOften('other-victim@example.com', 7, known), 5)
  t.is(await askOften('other-victim@example.com', 1), 0)
  const forged = new Visitor(environment)
  forged.cookies.set('daikon_browser', `${known.cookies.get('daikon_browser')}x`)
  t.is(await askOften(email, 1, forged), 0)

  // After 180 days, the browser is a stranger.
  setMinutes(181 * 24 * 60)
  t.is(await askOften(email, 7), 5)
  t.is(await askOften(email, 1, known), 0)
})

test.serial('requests at the same time take no more e-mails than the limit', async (t) => {
  setMinutes(0)
  const email = 'parallel@example.com'
  const node = await environment.addNode()
  await Promise.all(Array.from({ length: 12 }, () => new Visitor(environment).ask(email)))
  const send = (services: typeof node.app.services) => services.signInCodeWork.send()
  while (
    (await Promise.all([send(environment.app.services), send(node.app.services)])).includes(true)
  ) {}
  t.is(countMails(email), 5)
})

/** Admits everything, so that only the limits of codes remain. */
const unlimited = {
  take: async (
    _client: string,
    [window]: readonly { name: string; limit: number; period: number }[],
  ) => ({
    ...(window ?? { name: '', limit: 1, period: 60 }),
    allowed: true,
    remaining: 1,
    reset: 1,
    retryAfter: 0,
  }),
  degraded: false,
  close: async () => {},
}

/** Types wrong codes from an address, five in each flow. Returns the statuses. */
async function typeWrong(node: { httpPort: number }, ip: string, times: number): Promise<number[]> {
  const statuses: number[] = []
  let visitor = new Visitor(node, { 'x-forwarded-for': ip })
  let state = ''
  for (let time = 0; time < times; time += 1) {
    if (time % 5 === 0) {
      visitor = new Visitor(node, { 'x-forwarded-for': ip })
      state = (await visitor.ask(`guess-${ip.replace(/\W/g, '-')}-${time}@example.com`)).state
    }
    statuses.push((await visitor.type(state, '01020304')).status)
  }
  return statuses
}

test.serial(
  'an IP address types twenty wrong codes an hour, whatever the flow and node',
  async (t) => {
    setMinutes(0)
    const limited = await createEmailEnvironment({
      options: { RATE_LIMIT_PER_MINUTE: 100_000, TRUSTED_PROXIES: 1 },
      dependencies: { rateLimiter: unlimited },
    })
    t.teardown(() => limited.stop())
    limited.clock.now = new Date(start)
    const other = await limited.addNode()
    t.deepEqual(await typeWrong(limited, '192.0.2.1', 12), Array(12).fill(200))
    t.deepEqual(await typeWrong(other, '192.0.2.1', 10), [...Array(8).fill(200), 429, 429])
    t.deepEqual(await typeWrong(limited, '192.0.2.2', 1), [200])
    // The addresses of a /64 are one subscriber.
    t.deepEqual(await typeWrong(limited, '2001:db8::1', 20), Array(20).fill(200))
    t.deepEqual(await typeWrong(limited, '2001:db8::2', 1), [429])
    t.deepEqual(await typeWrong(limited, '2001:db8:0:1::1', 1), [200])

    // A right code is refused as well, until the oldest wrong one is an hour old.
    const email = 'shared@example.com'
    const visitor = new Visitor(limited, { 'x-forwarded-for': '192.0.2.1' })
    const { state } = await visitor.ask(email)
    await limited.work()
    const refused = await visitor.type(state, limited.codeOf(email))
    t.is(refused.status, 429)
    t.is(refused.headers.get('retry-after'), '3600')
    t.regex(refused.text, /TOO_MANY_WRONG_CODES/)
    limited.clock.now = new Date(start + 3_601_000)
    t.deepEqual(await typeWrong(limited, '192.0.2.1', 1), [200])
  },
)

test.serial('wrong codes at the same time are no more than the limit', async (t) => {
  setMinutes(0)
  const limited = await createEmailEnvironment({
    options: { RATE_LIMIT_PER_MINUTE: 100_000, TRUSTED_PROXIES: 1 },
    dependencies: { rateLimiter: unlimited },
  })
  t.teardown(() => limited.stop())
  const visitor = new Visitor(limited, { 'x-forwarded-for': '192.0.2.7' })
  const { state } = await visitor.ask('parallel-guess@example.com')
  const answers = await Promise.all(
    Array.from({ length: 26 }, () => visitor.type(state, '01020304')),
  )
  t.is(answers.filter(({ status }) => status === 429).length, 6)
})

test.serial('what counts no more is deleted', async (t) => {
  const { pool } = environment
  setMinutes(0)
  await pool.query('delete from wrong_sign_in_codes')
  for (const [minutes, isKept] of [
    [-61, false],
    [-59, true],
  ] as const)
    await pool.query('insert into wrong_sign_in_codes (network, typed_at) values ($1, $2)', [
      `swept ${isKept}`,
      new Date(start + minutes * 60_000),
    ])
  for (const [hours, isKept] of [
    [-25, false],
    [-23, true],
  ] as const)
    await pool.query(
      `insert into sign_in_code_mails (address_hash, browser_hash, sent_at) values ($1, '', $2)`,
      [`swept ${isKept}`, new Date(start + hours * 3_600_000)],
    )
  await environment.app.services.signInCodeWork.sweep()
  for (const [table, column] of [
    ['wrong_sign_in_codes', 'network'],
    ['sign_in_code_mails', 'address_hash'],
  ]) {
    const { rows } = await pool.query(
      `select ${column} as name from ${table} where ${column} like 'swept%'`,
    )
    t.deepEqual(rows, [{ name: 'swept true' }], table)
  }
})

test.serial(
  'the address page takes 10 requests a minute and IP address, the code page 20',
  async (t) => {
    const limited = await createEmailEnvironment({ options: { RATE_LIMIT_PER_MINUTE: 100_000 } })
    t.teardown(() => limited.stop())
    const visitor = new Visitor(limited)
    const { state } = await visitor.begin()
    const statuses: number[] = []
    for (let time = 0; time < 6; time += 1) {
      statuses.push((await visitor.open(`/auth/email?state=${state}`)).status)
      statuses.push((await visitor.ask(`window-${time}@example.com`, state)).status)
    }
    t.deepEqual(statuses, [...Array(5).fill([200, 302]).flat(), 429, 429])
    const codes: number[] = []
    for (let time = 0; time < 22; time += 1)
      codes.push((await visitor.open(`/auth/email/code?state=${state}`)).status)
    t.deepEqual(codes, [...Array(20).fill(200), 429, 429])
  },
)

test.serial('without rate limits, the limits of addresses and codes remain', async (t) => {
  setMinutes(0)
  t.is(await askOften('unlimited@example.com', 7), 5)
  const statuses = await typeWrong(environment, '192.0.2.9', 25)
  t.deepEqual(statuses, Array(25).fill(200))
})
