import test from 'ava'
import pg from 'pg'
import { type Answer, createEmailEnvironment, Visitor } from '../support/email-sign-in.ts'

const environment = await createEmailEnvironment({
  options: { SIGN_UP: 'invited', ADMIN_EMAILS: ['root--@example.com'] },
})
const { work, mails, pool, seed } = environment
test.after.always(() => environment.stop())

/** The kinds of addresses, all of one length, and whether an e-mail is sent to them. */
const addresses = {
  known: { email: 'known-@example.com', isMailed: true },
  unknown: { email: 'absent@example.com', isMailed: false },
  deactivated: { email: 'ended-@example.com', isMailed: false },
  'turned off': { email: 'off---@example.com', isMailed: false },
  'over the limit': { email: 'often-@example.com', isMailed: false },
  invited: { email: 'guest-@example.com', isMailed: true },
  'in ADMIN_EMAILS': { email: 'root--@example.com', isMailed: true },
}

test.before(async () => {
  await seed.user('known', { email: addresses.known.email })
  await seed.user('ended', { email: addresses.deactivated.email, is_active: false })
  await seed.user('off', { email: addresses['turned off'].email, email_sign_in: false })
  await seed.user('often', { email: addresses['over the limit'].email })
  const workspace = await seed.workspace()
  const invited = await seed.user('guest', { email: addresses.invited.email })
  await seed.member(workspace, invited, 'viewer', { joined_at: null })
  for (let mail = 0; mail < 5; mail += 1)
    await pool.query(
      `insert into sign_in_code_mails (address_hash, browser_hash, sent_at)
      values (encode(sha256($1), 'hex'), '', now())`,
      [addresses['over the limit'].email],
    )
})

/** Returns what differs between answers of the same kind, without what is random. */
function normalize({ status, location, text, headers }: Answer, state: string, email: string) {
  const clean = (value: string) => value.replaceAll(state, 'STATE').replaceAll(email, 'EMAIL')
  const cookies = headers
    .getSetCookie()
    .map((cookie) => clean(cookie).replace(/=([^;]*)/, (_, value) => `=${value.length}`))
    .map((cookie) => cookie.replace(/Expires=[^;]*/, ''))
  const others = [...headers].filter(
    ([name]) => !['date', 'set-cookie', 'x-request-id', 'etag', 'content-length'].includes(name),
  )
  return JSON.stringify({
    status,
    location: clean(location),
    text: clean(text),
    cookies,
    headers: others.map(([name, value]) => [name, clean(value)]),
  })
}

test('the answers to all addresses of a domain are the same; the mail is not', async (t) => {
  const answers = new Map<string, string[]>()
  for (const [kind, { email }] of Object.entries(addresses)) {
    const visitor = new Visitor(environment)
    const asked = await visitor.ask(email)
    const { state } = asked
    await work()
    const page = await visitor.open(asked.location)
    const wrongs = []
    for (let attempt = 0; attempt < 7; attempt += 1)
      wrongs.push(await visitor.type(state, '01020304'))
    const again = await visitor.ask(email, state)
    const all = [asked, page, ...wrongs, again].map((answer) => normalize(answer, state, email))
    answers.set(kind, all)
  }
  const [first = []] = answers.values()
  t.is(first.length, 10)
  for (const [kind, all] of answers) t.deepEqual(all, first, kind)
  for (const [kind, { email, isMailed }] of Object.entries(addresses))
    t.is(
      mails.some(({ to }) => to === email),
      isMailed,
      kind,
    )
})

test.serial(
  'the same statements run for all addresses of a domain, so that times tell nothing',
  async (t) => {
    const recorded: string[] = []
    const { query } = pg.Client.prototype
    pg.Client.prototype.query = function (this: pg.Client, ...args: [string | { text?: string }]) {
      const [statement] = args
      recorded.push(typeof statement === 'string' ? statement : (statement.text ?? ''))
      return Reflect.apply(query, this, args)
    } as typeof query
    t.teardown(() => {
      pg.Client.prototype.query = query
    })
    const record = async (request: () => Promise<unknown>) => {
      recorded.length = 0
      await request()
      return [...recorded]
    }
    const statements = new Map<string, { asking: string[]; typing: string[] }>()
    for (const [kind, { email }] of Object.entries(addresses)) {
      const visitor = new Visitor(environment)
      const { state } = await visitor.begin()
      const asking = await record(() => visitor.ask(email, state))
      await work()
      const typing = await record(() => visitor.type(state, '01020304'))
      statements.set(kind, { asking, typing })
    }
    const [first] = statements.values()
    t.true(first?.asking.some((text) => text.includes('insert into sign_in_codes')))
    t.true(first?.typing.some((text) => text.includes('set tries = tries + 1')))
    for (const [kind, all] of statements) t.deepEqual(all, first, kind)
  },
)

test('nothing exists of somebody who has only asked', async (t) => {
  const email = 'nobody@example.com'
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(email)
  await work()
  for (let attempt = 0; attempt < 5; attempt += 1) await visitor.type(state, '01020304')
  await environment.app.services.signInCodeWork.recordRefused()
  const { rows: refused } = await pool.query(
    `select 1 from activity where action = 'user.sign_in_code_refused' and target_id is null`,
  )
  t.is(refused.length, 0)
  for (const table of ['users', 'linked_accounts']) {
    const { rows } = await pool.query(`select 1 from ${table} where email = $1`, [email])
    t.is(rows.length, 0, table)
  }
  const { rows } = await pool.query('select 1 from activity where detail::text like $1', [
    `%${email}%`,
  ])
  t.is(rows.length, 0)
})

for (const text of [
  'ann',
  'ann@',
  'a@b@c.example',
  'ann@exämple.com',
  'ann@example.com,bob@example.com',
  'ann\r\nbcc:bob@example.com',
  '\u202eann@example.com',
  '',
])
  test(`${JSON.stringify(text)} is no address`, async (t) => {
    const visitor = new Visitor(environment)
    const { state } = await visitor.begin()
    const answer = await visitor.ask(text, state)
    t.is(answer.status, 200)
    t.regex(answer.text, /role="alert"/)
    const { rows } = await pool.query('select email from sign_in_codes where email = $1', [text])
    t.is(rows.length, 0)
  })
