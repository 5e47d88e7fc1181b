import test from 'ava'
import { MailRefused } from '../../src/outbound/mail-client.ts'
import { createEmailEnvironment, Visitor } from '../support/email-sign-in.ts'
import { waitUntil } from '../support/wait-until.ts'

const environment = await createEmailEnvironment()
const { work, codeOf, pool, clock, seed } = environment
test.after.always(() => environment.stop())

let counter = 0
const newAddress = () => `typed-${++counter}@example.com`

/** Asks for a code in a new browser. */
async function ask(email = newAddress()) {
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(email)
  await work()
  return { visitor, state, email, code: codeOf(email) }
}

const wrongOf = (code: string) => (code === '00000000' ? '11111111' : '00000000')
const refusal = /role="alert">This code is wrong or has ended/

test('a code is refused in another browser, with or without its state', async (t) => {
  const { visitor, state, code } = await ask()
  const other = new Visitor(environment)
  t.is((await other.type(state, code)).status, 400)
  const own = await other.ask(newAddress())
  t.regex((await other.type(own.state, code)).text, refusal)
  t.truthy((await visitor.finish(state, code)).code)
})

test('the cookie of one flow does not open another', async (t) => {
  const { visitor, state } = await ask()
  const own = await ask()
  const other = own.visitor.cookies.get(`login_${own.state}`) ?? ''
  visitor.cookies.set(`login_${state}`, other)
  t.is((await visitor.type(state, own.code)).status, 400)
  t.is((await visitor.ask(own.email, state)).status, 400)
})

test('a code works once', async (t) => {
  const { visitor, state, code } = await ask()
  const cookies = new Map(visitor.cookies)
  t.truthy((await visitor.finish(state, code)).code)
  for (const [name, value] of cookies) visitor.cookies.set(name, value)
  t.regex((await visitor.type(state, code)).text, refusal)
})

test('of the same right code sent often at the same time, one signs in', async (t) => {
  const { visitor, state, code } = await ask()
  const answers = await Promise.all(Array.from({ length: 4 }, () => visitor.type(state, code)))
  t.is(answers.filter(({ location }) => location !== '').length, 1)
})

test('the callback of a code works once, and for its own flow alone', async (t) => {
  const { visitor, state, code } = await ask()
  const other = await ask()
  const { location } = await visitor.type(state, code)
  const proof = new URL(location).searchParams.get('code') ?? ''
  const stolen = await other.visitor.open(
    `/auth/callback/email?${new URLSearchParams({ state: other.state, code: proof })}`,
  )
  t.is(new URL(stolen.location).searchParams.get('error'), 'invalid_response')
  const cookies = new Map(visitor.cookies)
  t.truthy(new URL((await visitor.open(location)).location).searchParams.get('code'))
  for (const [name, value] of cookies) visitor.cookies.set(name, value)
  t.is((await visitor.open(location)).status, 400)
})

for (const [title, change] of [
  [
    'full-width digits',
    (code: string) => code.replace(/\d/g, (d) => String.fromCodePoint(0xff10 + Number(d))),
  ],
  [
    'Arabic digits',
    (code: string) => code.replace(/\d/g, (d) => String.fromCodePoint(0x660 + Number(d))),
  ],
  ['seven digits', (code: string) => code.slice(1)],
  ['nine digits', (code: string) => `${code}0`],
  ['no-break spaces', (code: string) => `${code.slice(0, 4)}\u00a0${code.slice(4)}`],
  ['letters', () => 'abcdefgh'],
] as const)
  test(`a code of ${title} is refused and costs no try`, async (t) => {
    const { visitor, state, code } = await ask()
    for (let attempt = 0; attempt < 6; attempt += 1)
      t.regex((await visitor.type(state, change(code))).text, /The code is eight digits/)
    t.truthy((await visitor.finish(state, ` ${code.slice(0, 4)} ${code.slice(4)} `)).code)
  })

test('the fifth wrong code ends the right one, which is recorded once', async (t) => {
  const known = newAddress()
  const user = await seed.user('known', { email: known })
  const { recordRefused } = environment.app.services.signInCodeWork
  for (const email of [known, newAddress()]) {
    const { visitor, state, code } = await ask(email)
    for (let attempt = 0; attempt < 5; attempt += 1)
      t.regex((await visitor.type(state, wrongOf(code))).text, refusal)
    t.regex((await visitor.type(state, code)).text, refusal)
    await recordRefused()
    t.regex((await visitor.type(state, code)).text, refusal)
  }
  await recordRefused()
  const { rows } = await pool.query(
    "select target_id, detail from activity where action = 'user.sign_in_code_refused'",
  )
  t.deepEqual(
    rows.filter((row) => row.target_id === user),
    [{ target_id: user, detail: { email: known } }],
  )
  const others = rows.filter((row) => row.target_id !== user)
  t.true(others.length > 0)
  t.true(others.every((row) => row.target_id === null && Object.keys(row.detail).length === 0))
})

test('a right code counts as the fifth try', async (t) => {
  const { visitor, state, code } = await ask()
  for (let attempt = 0; attempt < 4; attempt += 1) await visitor.type(state, wrongOf(code))
  t.truthy((await visitor.finish(state, code)).code)
})

test('wrong codes at the same time end the code as well', async (t) => {
  const { visitor, state, code } = await ask()
  await Promise.all(Array.from({ length: 8 }, () => visitor.type(state, wrongOf(code))))
  t.regex((await visitor.type(state, code)).text, refusal)
})

test('asking again ends the earlier code of the flow, and of no other flow', async (t) => {
  const first = await ask()
  const other = await ask(first.email)
  await first.visitor.ask(first.email, first.state)
  await work()
  const next = codeOf(first.email)
  t.regex((await first.visitor.type(first.state, first.code)).text, refusal)
  t.truthy((await first.visitor.finish(first.state, next)).code)
  t.truthy((await other.visitor.finish(other.state, other.code)).code)
})

// Serial, because the other tests send what is due.
test.serial('asking again ends the earlier code before the next one is sent', async (t) => {
  const { visitor, state, code, email } = await ask()
  await pool.query('update sign_in_codes set tries = 4 where email = $1', [email])
  await visitor.ask(email, state)
  t.regex((await visitor.type(state, code)).text, refusal)
  // The next code has five tries of its own.
  await work()
  for (let attempt = 0; attempt < 3; attempt += 1) await visitor.type(state, wrongOf(codeOf(email)))
  t.truthy((await visitor.finish(state, codeOf(email))).code)
})

test('a code that is asked for while an earlier one is being sent is sent, too', async (t) => {
  const email = newAddress()
  const sent: string[] = []
  const slow = await createEmailEnvironment({
    dependencies: {
      sendMail: async ({ text }) => {
        sent.push(text.slice(text.lastIndexOf('#') + 1))
        if (sent.length === 1) await visitorOfSlow.ask(email, state)
      },
    },
  })
  t.teardown(() => slow.stop())
  const visitorOfSlow = new Visitor(slow)
  const { state } = await visitorOfSlow.ask(email)
  await slow.work()
  t.is(sent.length, 2)
  const [earlier = '', next = ''] = sent
  t.regex((await visitorOfSlow.type(state, earlier)).text, refusal)
  t.truthy((await visitorOfSlow.finish(state, next)).code)
})

test('an e-mail that the mail server refuses is not sent again, and does not count', async (t) => {
  let calls = 0
  const refusing = await createEmailEnvironment({
    dependencies: {
      sendMail: async () => {
        calls += 1
        throw new MailRefused('550 5.1.1', new Error('no such mailbox'))
      },
    },
  })
  t.teardown(() => refusing.stop())
  await new Visitor(refusing).ask(newAddress())
  await refusing.work()
  refusing.clock.now = new Date(Date.now() + 60_000)
  await refusing.work()
  t.is(calls, 1)
  const { rows } = await refusing.pool.query('select 1 from sign_in_code_mails')
  t.is(rows.length, 0)
})

test('a code ends ten minutes after it was asked for', async (t) => {
  const start = Date.now()
  const { email } = await ask()
  const { rows } = await pool.query('select expires_at from sign_in_codes where email = $1', [
    email,
  ])
  const seconds = (rows[0].expires_at.getTime() - start) / 1000
  const elapsed = (Date.now() - start) / 1000
  t.true(seconds >= 600 && seconds <= 600 + elapsed, `${seconds}`)
})

test('the database holds no code', async (t) => {
  const { code, email } = await ask()
  const { rows } = await pool.query('select * from sign_in_codes where email = $1', [email])
  t.is(rows.length, 1)
  t.false(JSON.stringify(rows).includes(code))
  t.regex(rows[0].code_mac, /^[0-9a-f]{64}$/)
})

test.serial('a code lives ten minutes, and asking renews the flow up to thirty', async (t) => {
  const start = Date.now()
  const setMinutes = (minutes: number) => {
    clock.now = new Date(start + minutes * 60_000)
  }
  t.teardown(() => {
    clock.now = undefined
  })
  setMinutes(0)
  const { visitor, state, code, email } = await ask()
  setMinutes(9.9)
  t.is((await visitor.ask(newAddress(), state)).status, 302)
  t.regex((await visitor.type(state, code)).text, refusal)
  setMinutes(15)
  await visitor.ask(email, state)
  await work()
  const late = codeOf(email)
  setMinutes(24.9)
  t.is((await visitor.ask(email, state)).status, 302)
  await work()
  t.not(codeOf(email), late)
  setMinutes(29)
  t.is((await visitor.ask(email, state)).status, 302)
  setMinutes(31)
  t.is((await visitor.type(state, codeOf(email))).status, 400)
})

test('a code that has expired is refused in a flow that lives, and is deleted', async (t) => {
  const { visitor, state, code, email } = await ask()
  const expire = 'update sign_in_codes set expires_at = now() where email = $1'
  await pool.query(expire, [email])
  t.regex((await visitor.type(state, code)).text, refusal)
  await environment.app.services.signInCodeWork.sweep()
  const { rows } = await pool.query('select 1 from sign_in_codes where email = $1', [email])
  t.is(rows.length, 0)
})

test('a failed send is repeated with another code', async (t) => {
  const email = newAddress()
  const flaky = await createEmailEnvironment({
    dependencies: {
      sendMail: (() => {
        let calls = 0
        return async (mail) => {
          calls += 1
          if (calls === 1) throw new Error('the mail server is away')
          sent.push(mail.text)
        }
      })(),
    },
  })
  t.teardown(() => flaky.stop())
  const sent: string[] = []
  const visitor = new Visitor(flaky)
  const { state } = await visitor.ask(email)
  const start = Date.now()
  await flaky.work()
  t.is(sent.length, 0)
  flaky.clock.now = new Date(start + 30_000)
  await waitUntil(async () => {
    await flaky.work()
    return sent.length === 1
  })
  const code = sent[0]?.slice(sent[0].lastIndexOf('#') + 1) ?? ''
  t.truthy((await visitor.finish(state, code)).code)
  // The failed e-mail does not count.
  const { rows } = await flaky.pool.query('select 1 from sign_in_code_mails')
  t.is(rows.length, 1)
})
