import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { createEmailEnvironment, Visitor } from '../support/email-sign-in.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { followRedirects } from '../support/providers/browser-flow.ts'
import { signIn } from '../support/sign-in.ts'

const environment = await createEmailEnvironment()
const { work, codeOf, pool, seed, mails, transports, addProviderUser } = environment
test.after.always(() => environment.stop())
const [transport] = transports
if (!transport) throw new Error('no transport')

/** A user who signs in with Google, who types a right code in a new browser. */
async function typeCode() {
  const email = addProviderUser()
  await signIn(transport as NonNullable<typeof transport>, email, 'google')
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(email)
  await work()
  return { email, visitor, state, page: await visitor.type(state, codeOf(email)) }
}

const accountsOf = async (email: string) => {
  const { rows } = await pool.query(
    'select a.provider from linked_accounts a join users u on u.id = a.user_id where u.email = $1 order by 1',
    [email],
  )
  return rows.map(({ provider }) => provider)
}

/** Follows a link of the page to Google, signs in there and returns the app's redirect. */
async function signInAt(visitor: Visitor, link: string, hint: string) {
  const { location, text } = await visitor.open(link)
  if (location === '') throw new Error(text)
  const callbackUrl = 'http://localhost:8000/auth/callback/google'
  const { callback } = await followRedirects(location, callbackUrl, { hint })
  const { location: redirect, text: page } = await visitor.open(`/auth/callback/google?${callback}`)
  if (redirect === '') throw new Error(page)
  return new URL(redirect).searchParams
}

const linkOf = (text: string) =>
  /href="([^"]*\/auth\/email\/confirm[^"]*)"/.exec(text)?.[1]?.replace(/&(amp|#38|#x26);/g, '&') ??
  ''

test('a right code signs nobody in who has another account and never used codes', async (t) => {
  const { email, visitor, state, page } = await typeCode()
  t.is(page.status, 200)
  t.is(page.location, '')
  t.regex(page.text, /sign in once with Google/)
  t.deepEqual(await accountsOf(email), ['google'])

  // The proved address links nothing in another browser.
  const other = new Visitor(environment)
  t.is((await other.open(linkOf(page.text))).status, 400)

  const before = mails.length
  const redirect = await signInAt(visitor, linkOf(page.text), email)
  t.truthy(redirect.get('code'))
  t.is(redirect.get('state'), 'of the app')
  t.deepEqual(await accountsOf(email), ['email', 'google'])
  const [mail] = mails.slice(before).filter(({ to }) => to === email)
  t.regex(mail?.text ?? '', /codes that are sent to this address/)
  const { rows } = await pool.query(
    `select detail from activity
    where action = 'user.account_linked' and detail->>'provider' = 'email' and detail->>'subject' = $1`,
    [email],
  )
  t.is(rows.length, 1)
  const { rows: sessions } = await pool.query(
    'select provider, amr from authorization_codes c join users u on u.id = c.user_id where u.email = $1',
    [email],
  )
  t.true(sessions.every(({ provider }) => provider === 'google'))
  t.false(sessions.some(({ amr }) => amr?.includes('otp')))

  // From then on, codes suffice.
  const next = new Visitor(environment)
  const asked = await next.ask(email)
  await work()
  t.truthy((await next.finish(asked.state, codeOf(email))).code)
  t.is((await visitor.open(`/auth/email/code?state=${state}`)).status, 200)
})

test('a right code signs nobody in who has a passkey and never used codes', async (t) => {
  // The passkey is a linked account, whichever methods are on.
  const email = `passkey-${Date.now()}@example.com`
  const user = await seed.user('passkey', { email })
  await pool.query(
    "insert into linked_accounts (provider, subject, user_id, email) values ('passkey', $1, $2, $1)",
    [email, user],
  )
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(email)
  await work()
  const page = await visitor.type(state, codeOf(email))
  t.is(page.location, '')
  t.regex(page.text, /One more sign-in/)
  t.deepEqual(await accountsOf(email), ['passkey'])
})

test('a passkey added after the right code was typed bars the sign-in', async (t) => {
  const email = `racing-${Date.now()}@example.com`
  const user = await seed.user('racing', { email })
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(email)
  await work()
  const { location } = await visitor.type(state, codeOf(email))
  await pool.query(
    "insert into linked_accounts (provider, subject, user_id, email) values ('passkey', $1, $2, $1)",
    [email, user],
  )
  const callback = await visitor.open(location)
  t.is(new URL(callback.location).searchParams.get('error'), 'account_conflict')
  t.deepEqual(await accountsOf(email), ['passkey'])
})

test('a sign-in with the account of somebody else links nothing', async (t) => {
  const { email, visitor, page } = await typeCode()
  const other = addProviderUser()
  await signIn(transport, other, 'google')
  const redirect = await signInAt(visitor, linkOf(page.text), other)
  t.truthy(redirect.get('code'))
  t.deepEqual(await accountsOf(email), ['google'])
  t.deepEqual(await accountsOf(other), ['google'])
})

test('codes that are turned off before the other sign-in are not linked', async (t) => {
  const { email, visitor, page } = await typeCode()
  await pool.query('update users set email_sign_in = false where email = $1', [email])
  t.truthy((await signInAt(visitor, linkOf(page.text), email)).get('code'))
  t.deepEqual(await accountsOf(email), ['google'])
})

test('a first sign-in with the provider, which makes its account, links no address', async (t) => {
  const email = addProviderUser()
  await signIn(transport, email, 'github')
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(email)
  await work()
  const page = await visitor.type(state, codeOf(email))
  t.regex(page.text, /sign in once with GitHub/)
  const link = linkOf(page.text).replace('provider=github', 'provider=google')
  t.truthy((await signInAt(visitor, link, email)).get('code'))
  t.deepEqual(await accountsOf(email), ['github', 'google'])
})

test('without a right code, nothing leads to the sign-in that links', async (t) => {
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(addProviderUser())
  const answer = await visitor.open(`/auth/email/confirm?state=${state}&provider=google`)
  t.is(answer.status, 400)
})

test('a person who has turned codes off gets none', async (t) => {
  const email = addProviderUser()
  await signIn(transport, email, 'google')
  await pool.query('update users set email_sign_in = false where email = $1', [email])
  await new Visitor(environment).ask(email)
  await work()
  t.false(mails.some(({ to }) => to === email))
})

test('a code that was sent before codes were turned off signs nobody in', async (t) => {
  for (const hasUsedCodes of [true, false]) {
    const email = `off-${hasUsedCodes}-${Date.now()}@example.com`
    const user = await seed.user('off', { email })
    if (hasUsedCodes)
      await pool.query(
        "insert into linked_accounts (provider, subject, user_id, email) values ('email', $1, $2, $1)",
        [email, user],
      )
    const visitor = new Visitor(environment)
    const { state } = await visitor.ask(email)
    await work()
    const code = codeOf(email)
    await pool.query('update users set email_sign_in = false where id = $1', [user])
    t.is((await visitor.finish(state, code)).error, 'account_conflict')
    t.deepEqual(await accountsOf(email), hasUsedCodes ? ['email'] : [])
  }
})

test('a code for a former address finds nobody', async (t) => {
  const email = `former-${Date.now()}@example.com`
  const visitor = new Visitor(environment)
  const { state } = await visitor.ask(email)
  await work()
  t.truthy((await visitor.finish(state, codeOf(email))).code)
  await pool.query('update users set email = $1 where email = $2', [`new-${email}`, email])
  const again = new Visitor(environment)
  const asked = await again.ask(email)
  await work()
  const redirect = await again.finish(asked.state, codeOf(email))
  t.is(redirect.error, 'account_conflict')
})

test('an address that an administrator corrects ends the code of the former one, and what it began', async (t) => {
  const email = `corrected-${Date.now()}@example.com`
  const visitor = new Visitor(environment)
  const { state, verifier } = await visitor.begin()
  await visitor.ask(email, state)
  await work()
  const { code = '' } = await visitor.finish(state, codeOf(email))
  const { workspaces } = expectOk(await transport.call('ListCodeWorkspaces', { code }))
  const exchange = { code, code_verifier: verifier, workspace_id: workspaces[0].id }
  const { refresh_token } = expectOk(await transport.call('ExchangeToken', exchange))
  const user_id = (await pool.query('select id from users where email = $1', [email])).rows[0].id
  const { token: admin } = await createAdmin(environment)
  const correction = { email: `new-${email}`, reason: 'a typing error', keep_sign_in: true }
  expectOk(await transport.call('UpdateUser', { user_id, ...correction }, { admin }))
  t.deepEqual(await accountsOf(`new-${email}`), [])
  t.is(expectError(await transport.call('RefreshToken', { refresh_token })).code, 'unauthenticated')
})
