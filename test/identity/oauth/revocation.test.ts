// Threat: tokens and browser sessions that outlive their user, state of another provider or flow.
import test from 'ava'
import { decodeJwt } from 'jose'
import { createAdmin } from '../../support/admin.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  signInWithOAuth,
} from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { followRedirects } from '../../support/providers/browser-flow.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'

const environment = await createSignInEnvironment()
const client = await createOAuthClient(environment)
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  /** Signs a user in and returns what they can do with the session. */
  const signIn = async (options: Parameters<typeof signInWithOAuth>[2] = {}) => {
    const signedIn = await signInWithOAuth(environment, transport, { client, ...options })
    const { tokens, browser_session, client_id } = signedIn
    const { request } = createAuthorizationRequest(client_id, { prompt: 'none' })
    const { refresh_token } = tokens
    const { sid, sub } = decodeJwt(tokens.id_token)
    return {
      ...signedIn,
      token: tokens.access_token as string,
      session_id: String(sid),
      user_id: String(sub),
      /** The error of each use of the session; undefined for those that work. */
      readErrors: async () => {
        const silent = expectOk(await transport.call('Authorize', { ...request, browser_session }))
        const refresh = { grant_type: 'refresh_token', refresh_token, ...signedIn.client }
        const me = await transport.call('GetUserInfo', {}, { token: tokens.access_token })
        const refreshed = await transport.call('IssueToken', refresh)
        return [
          new URL(silent.location).searchParams.get('error') ?? undefined,
          me.ok ? undefined : me.code,
          refreshed.ok ? undefined : refreshed.reason,
        ]
      },
    }
  }
  const ended = ['login_required', 'unauthenticated', 'INVALID_GRANT']

  test.serial(`ending a session in any way also ends the browser session ${over}`, async (t) => {
    const byUser = await signIn()
    t.deepEqual(await byUser.readErrors(), [undefined, undefined, undefined])

    const signedOut = await signIn()
    expectOk(await transport.call('Logout', {}, { token: signedOut.token }))
    t.deepEqual(await signedOut.readErrors(), ended)

    const one = await signIn()
    const { session_id, token } = one
    expectOk(await transport.call('EndSession', { session_id }, { token }))
    t.deepEqual(await one.readErrors(), ended)

    const first = await signIn()
    const second = await signIn({ email: first.email })
    expectOk(await transport.call('EndOtherSessions', {}, { token: second.token }))
    t.deepEqual(await first.readErrors(), ended)
    t.deepEqual(await second.readErrors(), [undefined, undefined, undefined])

    const deactivated = await signIn()
    const change = { user_id: deactivated.user_id, is_active: false }
    expectOk(await admin.call(transport, 'UpdateUser', change))
    t.deepEqual(await deactivated.readErrors(), ended)
    expectOk(await admin.call(transport, 'UpdateUser', { ...change, is_active: true }))
    t.deepEqual(await deactivated.readErrors(), ended)
  })

  test.serial(`a code of a browser session that has ended is rejected ${over}`, async (t) => {
    const { browser_session, tokens } = await signIn()
    const { request, verifier } = createAuthorizationRequest(client.client_id)
    const { location } = expectOk(
      await transport.call('Authorize', { ...request, browser_session }),
    )
    const code = new URL(location).searchParams.get('code')
    const hint = { id_token_hint: tokens.id_token, browser_session }
    expectOk(await transport.call('EndBrowserSession', hint))
    const exchange = {
      grant_type: 'authorization_code',
      code,
      code_verifier: verifier,
      redirect_uri: request.redirect_uri,
      ...client,
    }
    t.is(expectError(await transport.call('IssueToken', exchange)).reason, 'INVALID_GRANT')
  })

  test.serial(
    `deleting a client app ends its sessions; an inactive one cannot refresh ${over}`,
    async (t) => {
      const own = await createOAuthClient(environment)
      const { tokens, token } = await signIn({ client: own })
      const update = { client_app_id: own.client_id, redirect_uris: [] as string[] }
      expectOk(await admin.call(transport, 'UpdateClientApp', { ...update, is_active: false }))
      const { refresh_token } = tokens
      const refresh = { grant_type: 'refresh_token', refresh_token, ...own }
      t.is(expectError(await transport.call('IssueToken', refresh)).reason, 'INVALID_CLIENT')
      t.false((await transport.call('RefreshToken', { refresh_token })).ok)
      const { client_app_id } = update
      t.true((await admin.call(transport, 'DeleteClientApp', { client_app_id })).ok)
      t.is(expectError(await transport.call('GetMe', {}, { token })).reason, 'TOKEN_REVOKED')
    },
  )

  test.serial(
    `the callback accepts the state of its own provider and flow, once ${over}`,
    async (t) => {
      const { request } = createAuthorizationRequest(client.client_id)
      const email = environment.addProviderUser()
      const login = expectOk(await transport.call('Authorize', { ...request, provider: 'google' }))
      const back = `${issuer}/auth/callback/google`
      const { callback } = await followRedirects(login.location, back, { hint: email })
      const message: Record<string, unknown> = {
        ...Object.fromEntries(callback),
        login_state: login.login_state,
      }
      const invalid = [
        ['CompleteLogin', { ...message, provider: 'github' }],
        ['CompleteAdminLogin', { ...message, provider: 'google' }],
        ['CompleteLogin', { ...message, provider: 'google', state: `${message.state}x` }],
        ['CompleteLogin', { ...message, provider: 'google', state: undefined }],
        ['CompleteLogin', { ...message, provider: 'google', login_state: undefined }],
      ] as const
      for (const [method, changed] of invalid)
        t.is(expectError(await transport.call(method, changed)).reason, 'STATE_REFUSED')
      const right = { ...message, provider: 'google' }
      t.truthy(expectOk(await transport.call('CompleteLogin', right)).browser_session)
      t.is(expectError(await transport.call('CompleteLogin', right)).reason, 'STATE_REFUSED')
    },
  )

  test.serial(`of 20 parallel refreshes, one succeeds, and the session ends ${over}`, async (t) => {
    const { tokens } = await signIn()
    const { refresh_token } = tokens
    const refresh = { grant_type: 'refresh_token', refresh_token, ...client }
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () => transport.call('IssueToken', refresh)),
    )
    const [winner, ...others] = outcomes.filter(({ ok }) => ok)
    t.is(others.length, 0)
    const token = winner?.ok ? winner.message.access_token : ''
    t.is(expectError(await transport.call('GetMe', {}, { token })).code, 'unauthenticated')
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
