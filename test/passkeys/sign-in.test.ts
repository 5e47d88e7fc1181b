// Threat: administrators by mailbox; a step-up that is only claimed.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { providerIds } from '../../src/dev/mock-person.ts'
import { listActivity } from '../support/activity.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  readPage,
  signInAtAuthorize,
} from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import {
  addPasskey,
  assertIn,
  beginSignIn,
  comeBack,
  createPasskeyEnvironment,
  openOf,
  origin,
  signInToAccount,
  signInToAccountWithPasskey,
  signInWithPasskey,
} from '../support/passkeys.ts'
import { signInAdmin } from '../support/sign-in.ts'
import type { SoftPasskey } from '../support/software-authenticator.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createPasskeyEnvironment()
const { pool } = environment
const app = await createOAuthClient(environment)
// Administrators sign in with GitHub alone on this node, and passkeys.
const strict = await environment.addNode({ ADMIN_SIGN_IN_METHODS: ['github', 'passkey'] })
const without = await environment.addNode({ SIGN_IN_METHODS: [] })
test.after.always(() => environment.stop())

async function newUser(transport: Transport, provider = 'google') {
  const email = environment.addProviderUser()
  return { email, ...(await signInToAccount(transport, email, provider)) }
}

const ageOf = (claims: Record<string, unknown>) => Date.now() / 1000 - Number(claims.auth_time)

for (const [index, transport] of environment.transports.entries()) {
  const over = `over ${transport.label}`
  const strictTransport = strict.transports[index] as Transport
  const transportWithout = without.transports[index] as Transport

  /** Signs in at `/oauth/authorize` with a passkey. Returns the response of the callback and the tokens. */
  const authorize = async (passkey: SoftPasskey, more: Record<string, unknown>) => {
    const { request, verifier } = createAuthorizationRequest(app.client_id, more)
    const begun = expectOk(await transport.call('Authorize', request))
    const back = await comeBack(transport, openOf(begun), passkey)
    const tokens = await transport.call('IssueToken', {
      grant_type: 'authorization_code',
      client_id: app.client_id,
      code: new URL(back.location).searchParams.get('code') ?? '',
      redirect_uri: request.redirect_uri,
      code_verifier: verifier,
    })
    return { back, tokens: tokens.ok ? tokens.message : {} }
  }

  test(`tokens say that a passkey signed the user in, also after a refresh and a switch ${over}`, async (t) => {
    const { token, userId } = await newUser(transport)
    const { passkey, passkeyId } = await addPasskey(transport, token)
    const synced = await addPasskey(transport, token, { isBackupEligible: true })
    const tokens = await signInWithPasskey(transport, passkey)
    const refreshed = expectOk(
      await transport.call('RefreshToken', { refresh_token: tokens.refresh_token }),
    )
    const { refresh_token, workspace_id } = refreshed
    const switched = expectOk(
      await transport.call('SwitchWorkspace', { refresh_token, workspace_id }),
    )
    for (const { access_token } of [tokens, refreshed, switched]) {
      const claims = decodeJwt(String(access_token))
      t.like(claims, { amr: ['pop', 'user', 'mfa'], acr: 'phr' })
      t.true(ageOf(claims) < 120)
      t.is(claims.auth_time_unconfirmed, undefined)
    }
    const oauth = await authorize(synced.passkey, { provider: 'passkey', prompt: 'login' })
    for (const name of ['id_token', 'access_token'])
      t.like(decodeJwt(oauth.tokens[name]), { amr: ['pop', 'user', 'mfa', 'swk'], acr: 'phr' })
    const event = (await listActivity(pool, userId)).find(
      ({ action, detail }) => action === 'user.signed_in' && detail.provider === 'passkey',
    )
    t.truthy(event)
    const { rows } = await pool.query('select last_used_at from passkeys where account_id = $1', [
      passkeyId,
    ])
    t.true(rows[0].last_used_at > new Date(Date.now() - 120_000))
    const byProvider = decodeJwt(token)
    t.is(byProvider.acr, undefined)
  })

  test(`acr_values=phr leads to the page of passkeys, and a weaker session does not do ${over}`, async (t) => {
    const { token, email } = await newUser(transport)
    const { passkey } = await addPasskey(transport, token)
    const phr = { acr_values: 'phr' }
    const first = createAuthorizationRequest(app.client_id)
    const { browser_session } = await signInAtAuthorize(transport, email, first.request)
    const { request } = createAuthorizationRequest(app.client_id, phr)
    // The page is the only way, whatever provider is named.
    for (const more of [{}, { provider: 'google' }]) {
      const begun = expectOk(
        await transport.call('Authorize', { ...request, ...more, browser_session }),
      )
      t.is(new URL(begun.location).pathname, '/auth/passkey')
    }
    const silent = { ...request, prompt: 'none', browser_session }
    const refused = expectOk(await transport.call('Authorize', silent))
    t.is(new URL(refused.location).searchParams.get('error'), 'login_required')

    const { back } = await authorize(passkey, phr)
    t.truthy(new URL(back.location).searchParams.get('code'))
    const { browser_session: strong } = back
    const again = expectOk(
      await transport.call('Authorize', { ...silent, browser_session: strong }),
    )
    t.truthy(new URL(again.location).searchParams.get('code'))
    // Other values are for the provider.
    const others = createAuthorizationRequest(app.client_id, { acr_values: 'phr urn:other' })
    const voluntary = await transport.call('Authorize', { ...others.request, browser_session })
    t.truthy(new URL(expectOk(voluntary).location).searchParams.get('code'))
  })

  test(`who has no passkey returns to the app, or to the other ways to sign in ${over}`, async (t) => {
    const openPage = async (more: Record<string, unknown>) => {
      const { request } = createAuthorizationRequest(app.client_id, more)
      const open = openOf(expectOk(await transport.call('Authorize', request)))
      const { state, login_state } = open
      const page = readPage(
        expectOk(await transport.call('OpenPasskeyPage', { state, login_state })),
      )
      return { open, url: page.urls[0] as URL }
    }
    const required = await openPage({ acr_values: 'phr' })
    t.is(required.url.pathname, '/auth/callback/passkey')
    const message = {
      provider: 'passkey',
      ...Object.fromEntries(required.url.searchParams),
      login_state: required.open.login_state,
    }
    const { location } = expectOk(await transport.call('CompleteLogin', message))
    const { searchParams } = new URL(location)
    t.is(searchParams.get('error'), 'unmet_authentication_requirements')
    t.is(searchParams.get('state'), 'state of the client')
    const chosen = await openPage({ provider: 'passkey' })
    t.is(chosen.url.pathname, '/oauth/authorize')
    t.false(chosen.url.searchParams.has('provider'))
  })

  test(`a passkey meets max_age, as it says when it was used ${over}`, async (t) => {
    const { token } = await newUser(transport)
    const { passkey } = await addPasskey(transport, token)
    const { back, tokens } = await authorize(passkey, { provider: 'passkey', max_age: '1' })
    t.is(new URL(back.location).searchParams.get('error'), null)
    t.is(decodeJwt(tokens.id_token).acr, 'phr')
  })

  test(`the page belongs to the browser of its sign-in ${over}`, async (t) => {
    const open = await beginSignIn(transport)
    const other = await beginSignIn(transport)
    const call = (state: string, login_state: string | undefined) =>
      transport.call('OpenPasskeyPage', { state, login_state })
    expectOk(await call(open.state, open.login_state))
    for (const [state, cookie] of [
      [open.state, other.login_state],
      [open.state, undefined],
      [open.state, 'forged'],
    ] as const)
      t.is(expectError(await call(state, cookie)).reason, 'STATE_REFUSED')
  })

  test(`a proof completes one sign-in, once ${over}`, async (t) => {
    const { token } = await newUser(transport)
    const { passkey, passkeyId } = await addPasskey(transport, token)
    const second = await addPasskey(transport, token)
    const open = await beginSignIn(transport)
    const { location } = expectOk(await assertIn(transport, open, passkey))
    const { code, state } = Object.fromEntries(new URL(location).searchParams)
    const complete = ({ state, login_state }: { state?: string; login_state: string }) =>
      transport.call('CompleteLogin', { provider: 'passkey', state, code, login_state })
    const other = await beginSignIn(transport)
    const elsewhere = expectOk(await complete(other))
    t.is(new URL(elsewhere.location).searchParams.get('error'), 'invalid_response')
    const done = expectOk(await complete({ state: String(state), login_state: open.login_state }))
    t.truthy(new URL(done.location).searchParams.get('code'))
    const replayed = await complete({ state: String(state), login_state: open.login_state })
    t.is(expectError(replayed).reason, 'STATE_REFUSED')
    // Removed between the page and the callback.
    const late = await beginSignIn(transport)
    const proof = expectOk(await assertIn(transport, late, passkey))
    expectOk(await transport.call('DeletePasskey', { passkey_id: passkeyId }, { token }))
    const callback = Object.fromEntries(new URL(proof.location).searchParams)
    const message = { provider: 'passkey', ...callback, login_state: late.login_state }
    const refused = expectOk(await transport.call('CompleteLogin', message))
    t.is(new URL(refused.location).searchParams.get('error'), 'passkey_removed')
    t.truthy((await signInWithPasskey(transport, second.passkey)).access_token)
  })

  test(`a deactivated user does not sign in with a passkey ${over}`, async (t) => {
    const { token, userId } = await newUser(transport)
    const { passkey } = await addPasskey(transport, token)
    await pool.query('update users set is_active = false where id = $1', [userId])
    const { location } = await comeBack(transport, await beginSignIn(transport), passkey)
    t.is(new URL(location).searchParams.get('error'), 'user_inactive')
  })

  test(`an administrator signs in with a passkey that counts as an admitted method ${over}`, async (t) => {
    const enter = async (on: Transport, passkey: SoftPasskey) => {
      const open = await beginSignIn(on, 'BeginAdminLogin')
      const { location, admin_token } = await comeBack(on, open, passkey, 'CompleteAdminLogin')
      return { error: new URL(location).searchParams.get('error'), admin_token }
    }
    const promote = (id: string) =>
      pool.query('update users set is_admin = true where id = $1', [id])
    const byGoogle = await newUser(transport)
    const { passkey } = await addPasskey(transport, byGoogle.token)
    t.is((await enter(transport, passkey)).error, 'not_admin')
    await promote(byGoogle.userId)
    t.truthy((await enter(transport, passkey)).admin_token)
    t.deepEqual(await enter(strictTransport, passkey), {
      error: 'method_refused',
      admin_token: undefined,
    })
    // A passkey that was added in a session of that passkey counts as Google, too.
    const later = await signInToAccountWithPasskey(transport, passkey)
    const descendant = await addPasskey(transport, later.token)
    t.is((await enter(strictTransport, descendant.passkey)).error, 'method_refused')
    const byGithub = await newUser(transport, 'github')
    await promote(byGithub.userId)
    const admitted = await addPasskey(transport, byGithub.token)
    t.truthy((await enter(strictTransport, admitted.passkey)).admin_token)
    // A mailbox, whenever the passkey was added.
    await pool.query(`update linked_accounts set added_by = 'email' where user_id = $1`, [
      byGithub.userId,
    ])
    for (const on of [transport, strictTransport])
      t.is((await enter(on, admitted.passkey)).error, 'method_refused')
    // A provider that has verified the user's own address counts as itself.
    t.truthy((await signInAdmin(strictTransport, byGithub.email, 'github')).admin)
    // Removing the passkey ends the admin token.
    const { admin_token } = await enter(transport, descendant.passkey)
    t.truthy(admin_token)
    const message = { passkey_id: descendant.passkeyId }
    expectOk(await transport.call('DeletePasskey', message, { token: later.token }))
    t.false((await transport.call('GetAdminMe', {}, { admin: admin_token })).ok)
  })

  test(`a passkey of an address in ADMIN_EMAILS promotes nobody ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const listed = await environment.addNode({ ADMIN_EMAILS: [email] })
    const on = listed.transports[index] as Transport
    const { token, userId } = await signInToAccount(transport, email)
    const { passkey } = await addPasskey(transport, token)
    const open = await beginSignIn(on, 'BeginAdminLogin')
    const { location } = await comeBack(on, open, passkey, 'CompleteAdminLogin')
    t.is(new URL(location).searchParams.get('error'), 'not_admin')
    const { rows } = await pool.query('select is_admin from users where id = $1', [userId])
    t.false(rows[0].is_admin)
  })

  test(`without passkeys, nobody signs in with them ${over}`, async (t) => {
    const { token } = await newUser(transport)
    await addPasskey(transport, token)
    const message = { provider: 'passkey' }
    const begun = await transportWithout.call('BeginAdminLogin', message)
    t.is(expectError(begun).reason, 'PROVIDER_NOT_FOUND')
    const { state, login_state } = await beginSignIn(transport)
    const opened = await transportWithout.call('OpenPasskeyPage', { state, login_state })
    t.is(expectError(opened).reason, 'PROVIDER_NOT_FOUND')
    const { request } = createAuthorizationRequest(app.client_id, { acr_values: 'phr' })
    const { location } = expectOk(await transportWithout.call('Authorize', request))
    const { searchParams } = new URL(location)
    t.is(searchParams.get('error'), 'unmet_authentication_requirements')
    // A passkey that nobody signs in with is no way in.
    const { accounts } = expectOk(await transport.call('ListAccounts', {}, { token }))
    const unlinked = await transportWithout.call(
      'UnlinkAccount',
      { account_id: accounts[0].id },
      { token },
    )
    t.is(expectError(unlinked).reason, 'LAST_ACCOUNT')
    const configuration = expectOk(await transportWithout.call('GetConfiguration', {}))
    t.deepEqual(configuration.acr_values_supported ?? [], [])
    const own = expectOk(await transport.call('GetConfiguration', {}))
    t.deepEqual(own.acr_values_supported, ['phr'])
    t.true(own.claims_supported.includes('acr'))
  })

  test(`the address follows the provider of the only account beside passkeys ${over}`, async (t) => {
    const { token, userId } = await newUser(transport, 'github')
    const { passkey } = await addPasskey(transport, token)
    const moved = `moved-${randomUUID()}@example.com`
    const sql = `update linked_accounts set subject = $2 where user_id = $1 and provider = 'github'`
    environment.addProviderUser({ email: moved })
    await pool.query(sql, [userId, String(providerIds({ name: 'Ann', email: moved }).id)])
    const { userId: same } = await signInToAccount(transport, moved, 'github')
    t.is(same, userId)
    const { rows } = await pool.query('select email from users where id = $1', [userId])
    t.is(rows[0].email, moved)
    await t.notThrowsAsync(signInWithPasskey(transport, passkey))
  })
}

test('the page offers its script by the hash of its policy, and calls the server alone', async (t) => {
  const rest = environment.transports.find(({ name }) => name === 'rest') as Transport
  const { state, login_state } = await beginSignIn(rest)
  const response = await fetch(
    `http://127.0.0.1:${environment.httpPort}/auth/passkey?state=${state}`,
    {
      headers: { cookie: `login_${state}=${login_state}`, host: new URL(origin).host },
    },
  )
  t.is(response.status, 200)
  const policy = response.headers.get('content-security-policy') ?? ''
  t.regex(policy, /default-src 'none'/)
  t.regex(policy, /script-src 'sha256-[^']+'; connect-src 'self'$/)
  t.regex(policy, /frame-ancestors 'none'/)
})
