import test from 'ava'
import { decodeJwt } from 'jose'
import {
  connectWorkspace,
  createConnectionEnvironment,
  obtainConnectionTokens,
} from '../support/connections.ts'
import { createAuthorizationRequest, createOAuthClient, signInWithOAuth } from '../support/oauth.ts'
import { expectOk } from '../support/outcome.ts'
import { signIn } from '../support/sign-in.ts'

const environment = await createConnectionEnvironment()
const { pool, seed } = environment
const client = await createOAuthClient(environment)
test.after.always(() => environment.stop())

const hour = 3600
const seconds = () => Math.floor(Date.now() / 1000)

/** The claims of a token about how and when its user signed in. */
function authenticationOf(token: string) {
  const {
    auth_time = 0,
    auth_time_unconfirmed,
    amr,
    acr,
  } = decodeJwt<Record<string, unknown>>(token)
  return { auth_time: Number(auth_time), auth_time_unconfirmed, amr, acr }
}

const errorOf = (location: string) => new URL(location).searchParams.get('error')

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`tokens of /auth/token say how and when the user signed in ${over}`, async (t) => {
    const email = environment.addProviderUser({ amr: ['pwd', 'mfa'] })
    for (const [provider, amr] of [
      ['google', ['pwd', 'mfa']],
      ['github', undefined],
    ] as const) {
      const { tokens } = await signIn(transport, email, provider)
      const found = authenticationOf(tokens.access_token)
      t.true(Math.abs(found.auth_time - seconds()) < 60)
      // Neither says when the user signed in, unless it is asked for.
      t.like(found, { auth_time_unconfirmed: true, acr: undefined })
      t.deepEqual(found.amr, amr)
    }
  })

  test(`the time of the sign-in stays the same through refresh and switch ${over}`, async (t) => {
    const email = environment.addProviderUser({ amr: ['mfa'] })
    const { tokens } = await signIn(transport, email, 'google')
    const { sub = '' } = decodeJwt(tokens.access_token)
    const other = await seed.workspace()
    await seed.member(other, sub, 'viewer')
    const { rows } = await pool.query(
      `update refresh_families set authenticated_at = authenticated_at - interval '2 hours'
       where user_id = $1 returning extract(epoch from authenticated_at)::float8 as time`,
      [sub],
    )
    const expected = {
      auth_time: Math.floor(rows[0].time),
      auth_time_unconfirmed: true,
      amr: ['mfa'],
    }
    let { refresh_token } = tokens
    for (const [method, more] of [
      ['RefreshToken', {}],
      ['SwitchWorkspace', { workspace_id: other }],
      ['RefreshToken', {}],
    ] as const) {
      const next = expectOk(await transport.call(method, { refresh_token, ...more }))
      t.deepEqual(authenticationOf(next.access_token), { ...expected, acr: undefined } as object)
      refresh_token = next.refresh_token
    }
  })

  test(`ID tokens and access tokens of OAuth say the same ${over}`, async (t) => {
    const email = environment.addProviderUser({ amr: ['hwk'] })
    const options = { client, email, request: { max_age: '60' } }
    const { tokens } = await signInWithOAuth(environment, transport, options)
    const found = authenticationOf(tokens.access_token)
    t.true(Math.abs(found.auth_time - seconds()) < 60)
    t.like(found, { auth_time_unconfirmed: undefined, amr: ['hwk'], acr: undefined })
    t.deepEqual(authenticationOf(tokens.id_token), found)
  })

  test(`a code keeps the time of its sign-in while the browser signs in again ${over}`, async (t) => {
    const beforeExchange = (email: string) =>
      pool.query(
        `update browser_sessions set authenticated_at = authenticated_at + interval '2 hours', amr = '{mfa}'
       where user_id = (select id from users where email = $1)`,
        [email],
      )
    const { tokens } = await signInWithOAuth(environment, transport, { client, beforeExchange })
    const { auth_time, amr } = authenticationOf(tokens.access_token)
    t.true(Math.abs(auth_time - seconds()) < 60)
    t.is(amr, undefined)
  })

  test(`a code of an earlier version has the time of its browser session ${over}`, async (t) => {
    const beforeExchange = (email: string) =>
      pool.query(
        `update authorization_codes set authenticated_at = null
       where user_id = (select id from users where email = $1)`,
        [email],
      )
    const { tokens } = await signInWithOAuth(environment, transport, { client, beforeExchange })
    t.true(Math.abs(authenticationOf(tokens.id_token).auth_time - seconds()) < 60)
  })

  test(`a provider's acr is dropped, and its time is believed ${over}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport)
    const auth_time = seconds() - 2 * hour
    connected.assert('mallory', { acr: 'phr', amr: ['pwd', 1, 'x'.repeat(65), ''], auth_time })
    const { access_token } = await obtainConnectionTokens(transport, connected)
    const expected = { auth_time, auth_time_unconfirmed: undefined, amr: ['pwd'], acr: undefined }
    t.deepEqual(authenticationOf(access_token), expected)
    connected.assert('trent', { auth_time: seconds() + hour })
    const later = await obtainConnectionTokens(transport, connected)
    t.true(authenticationOf(later.access_token).auth_time <= seconds(), 'never in the future')
  })

  test(`a step-up asks the provider to sign the user in again ${over}`, async (t) => {
    for (const [provider, prompt] of [
      ['microsoft', 'login'],
      ['google', 'select_account'],
      ['github', 'select_account'],
    ] as const) {
      const { request } = createAuthorizationRequest(client.client_id, { max_age: '300', provider })
      const { location } = expectOk(await transport.call('Authorize', request))
      const { searchParams } = new URL(location)
      t.is(searchParams.get('prompt'), prompt)
      if (provider !== 'github') t.is(searchParams.get('max_age'), '300')
    }
  })

  test(`no sign-in meets acr_values=phr, and other values are the provider's ${over}`, async (t) => {
    const { browser_session } = await signInWithOAuth(environment, transport, { client })
    const authorize = async (more: object) => {
      const { request } = createAuthorizationRequest(client.client_id, { ...more })
      const message = { ...request, provider: 'google', browser_session }
      return expectOk(await transport.call('Authorize', message)).location
    }
    t.is(errorOf(await authorize({ acr_values: 'phr', prompt: 'none' })), 'login_required')
    const interactive = await authorize({ acr_values: ' phr', prompt: 'login' })
    t.is(errorOf(interactive), 'unmet_authentication_requirements')
    t.is(errorOf(await authorize({ acr_values: 'phr' })), 'unmet_authentication_requirements')
    const known = await authorize({ acr_values: 'phr urn:mfa', prompt: 'login' })
    t.is(new URL(known).searchParams.get('acr_values'), 'phr urn:mfa')
    t.is(errorOf(await authorize({ acr_values: 'urn:mfa' })), null)
  })
}
