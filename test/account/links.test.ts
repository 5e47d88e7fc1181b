// Threats: an account linked by another browser, by another session, twice, after a sign-out; the account of
// somebody else; the last way in removed.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import {
  openLinkPage,
  signAccountToken,
  signInToAccountPage,
  signInToLink,
} from '../support/account-page.ts'
import { listActivity } from '../support/activity.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, signIn } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
const { pool } = environment
test.after.always(() => environment.stop())

async function providersOf(userId: string): Promise<string[]> {
  const sql = 'select provider from linked_accounts where user_id = $1 order by 1'
  return (await pool.query(sql, [userId])).rows.map(({ provider }) => provider)
}

/** Sends the form of the page, and returns the outcome that the account page shows. */
async function confirm(transport: Transport, choice: object | undefined) {
  const { location } = expectOk(await transport.call('ConfirmAccountLink', choice ?? {}))
  return Object.fromEntries(new URL(location).searchParams)
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const begin = () => signInToAccountPage(environment, transport)
  const refused = async (message: object) =>
    expectError(await transport.call('ConfirmAccountLink', message)).reason

  test(`a user links an account with another address, once ${over}`, async (t) => {
    const user = await begin()
    const other = environment.addProviderUser()
    const callback = await signInToLink(transport, user, other)
    const { page, choice, own } = await openLinkPage(transport, callback)
    t.true(page?.text.includes(user.email))
    t.true(page?.text.includes(other))
    // Opening the page, also with the confirmation, changes nothing.
    t.true('state' in (own ?? {}))
    expectOk(await transport.call('ConfirmAccountLink', { ...choice, is_form: undefined }))
    t.deepEqual(await providersOf(user.id), ['google'])
    t.deepEqual(await confirm(transport, choice), { linked: 'github' })
    t.deepEqual(await providersOf(user.id), ['github', 'google'])
    t.is(await refused(choice ?? {}), 'STATE_REFUSED')
    t.is(expectError(await transport.call('CompleteLogin', callback)).reason, 'STATE_REFUSED')
    const { email } = expectOk(await transport.call('GetMe', {}, { token: user.token }))
    t.is(email, user.email)
    const { tokens } = await signIn(transport, other, 'github')
    const me = expectOk(await transport.call('GetMe', {}, { token: String(tokens.access_token) }))
    t.like(me, { id: user.id, email: user.email })
    const actions = (await listActivity(pool, user.id)).map(({ action }) => action)
    t.is(actions.filter((action) => action === 'user.account_linked').length, 2)
  })

  test(`only the button of the page links an account ${over}`, async (t) => {
    const user = await begin()
    const callback = await signInToLink(transport, user, environment.addProviderUser())
    const { own, page, choice } = await openLinkPage(transport, callback)
    const { confirmation } = page?.choices[0] ?? {}
    for (const forged of [
      { confirmation: 'x'.repeat(43), is_form: true },
      { confirmation: '', is_form: true },
      // Another site leads the browser to the URL.
      { confirmation },
    ]) {
      const again = await transport.call('ConfirmAccountLink', { ...own, ...forged })
      t.is(expectOk(again).location, undefined)
    }
    t.deepEqual(await providersOf(user.id), ['google'])
    await confirm(transport, choice)
    t.deepEqual(await providersOf(user.id), ['github', 'google'])
  })

  test(`an account is linked in the browser and the session that asked alone ${over}`, async (t) => {
    const user = await begin()
    const stranger = await begin()
    const address = environment.addProviderUser()
    const attempt = async (changes: (callback: Record<string, string>) => object) => {
      const callback = await signInToLink(transport, user, address)
      return transport.call('CompleteLogin', { ...callback, ...changes(callback) })
    }
    // Another browser lacks the cookie of the login; another session is somebody else's or none.
    t.is(expectError(await attempt(() => ({ login_state: undefined }))).reason, 'STATE_REFUSED')
    for (const browser_session of [stranger.cookie, undefined]) {
      const { location } = expectOk(await attempt(() => ({ browser_session })))
      t.is(new URL(location).searchParams.get('error'), 'state_mismatch')
    }
    const { choice } = await openLinkPage(transport, await signInToLink(transport, user, address))
    for (const browser_session of [stranger.cookie, undefined])
      t.is(await refused({ ...choice, browser_session }), 'STATE_REFUSED')
    t.is(await refused({ ...choice, login_state: undefined }), 'STATE_REFUSED')
    expectOk(await transport.call('Logout', {}, { token: user.token }))
    t.is(await refused(choice ?? {}), 'STATE_REFUSED')
    t.deepEqual(await providersOf(user.id), ['google'])
    t.deepEqual(await providersOf(stranger.id), ['google'])
  })

  test(`a link begins in a browser that the user is signed in to ${over}`, async (t) => {
    const user = await begin()
    const stranger = await begin()
    const call = (message: object) =>
      transport.call('BeginAccountLink', message, { token: user.token })
    for (const browser_session of [stranger.cookie, 'x', undefined]) {
      const error = expectError(await call({ provider: 'github', browser_session }))
      t.is(error.reason, 'BROWSER_SESSION_REQUIRED')
    }
    const { cookie: browser_session } = user
    for (const provider of ['email', 'passkey'])
      t.is(expectError(await call({ provider, browser_session })).code, 'invalid_argument')
    for (const provider of ['gitlab', `connection:${randomUUID()}`])
      t.is(expectError(await call({ provider, browser_session })).code, 'not_found')
  })

  test(`the account of another user, and a second one of a provider, are refused ${over}`, async (t) => {
    const user = await begin()
    const taken = environment.addProviderUser()
    await signIn(transport, taken, 'github')
    const link = async (address: string, provider: 'github' | 'google') => {
      const callback = await signInToLink(transport, user, address, provider)
      return confirm(transport, (await openLinkPage(transport, callback)).choice)
    }
    t.deepEqual(await link(taken, 'github'), { error: 'account_conflict' })
    t.deepEqual(await link(environment.addProviderUser(), 'google'), { error: 'account_conflict' })
    t.deepEqual(await link(user.email, 'google'), { linked: 'google' })
    t.deepEqual(await providersOf(user.id), ['google'])
  })

  test(`two removals at once leave one account ${over}`, async (t) => {
    const user = await begin()
    const callback = await signInToLink(transport, user, environment.addProviderUser())
    await confirm(transport, (await openLinkPage(transport, callback)).choice)
    const credentials = { token: user.token }
    const { accounts } = expectOk(await transport.call('ListAccounts', {}, credentials))
    const outcomes = await Promise.all(
      accounts.map(({ id: account_id }: { id: string }) =>
        transport.call('UnlinkAccount', { account_id }, credentials),
      ),
    )
    t.is(outcomes.filter(({ ok }) => ok).length, 1)
    t.is(expectError(outcomes.find(({ ok }) => !ok) as never).reason, 'LAST_ACCOUNT')
    t.is((await providersOf(user.id)).length, 1)
  })

  test(`codes are turned off unless they are the only way in ${over}`, async (t) => {
    const user = await begin()
    const set = (enabled: boolean) =>
      transport.call('SetEmailSignIn', { enabled }, { token: user.token })
    t.deepEqual(expectOk(await set(false)), { enabled: false })
    const me = async () => expectOk(await transport.call('GetMe', {}, { token: user.token }))
    t.is((await me()).email_sign_in, false)
    t.deepEqual(expectOk(await set(true)), { enabled: true })
    await pool.query(`update linked_accounts set provider = 'email' where user_id = $1`, [user.id])
    t.is(expectError(await set(false)).reason, 'LAST_ACCOUNT')
    t.is((await me()).email_sign_in, true)
  })

  test(`only a sign-in that the page asked for counts if its time is not reported ${over}`, async (t) => {
    // GitHub does not report the time.
    const provider = 'github'
    const page = await signInToAccountPage(environment, transport, { provider })
    const change = (token: string) => transport.call('SetEmailSignIn', { enabled: true }, { token })
    expectOk(await change(page.token))
    const refresh = { grant_type: 'refresh_token', client_id: page.client_id }
    const { refresh_token } = page.tokens
    const renewed = expectOk(await transport.call('IssueToken', { ...refresh, refresh_token }))
    expectOk(await change(renewed.access_token))
    const silent = await signInToAccountPage(environment, transport, { silent: true, provider })
    t.is(expectError(await change(silent.token)).reason, 'SIGN_IN_TOO_OLD')
    const old = await signAccountToken(environment, page.id, page.tokens.workspace_id, 601)
    t.is(expectError(await change(old)).reason, 'SIGN_IN_TOO_OLD')
  })
}

test('the challenge of a sign-in that is too old says how old it may be', async (t) => {
  const [transport] = environment.transports as [Transport]
  const user = await signInToAccountPage(environment, transport, {
    silent: true,
    provider: 'github',
  })
  const response = await fetch(`http://127.0.0.1:${environment.httpPort}/users/me/export`, {
    headers: { authorization: `Bearer ${user.token}` },
  })
  t.is(response.status, 401)
  t.is(
    response.headers.get('www-authenticate'),
    'Bearer error="insufficient_user_authentication", error_description="The user must sign in again", max_age="600"',
  )
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
