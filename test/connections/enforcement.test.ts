import test from 'ava'
import { providerNames } from '../../src/identity/providers/provider.ts'
import {
  beginAtConnection,
  type ConnectedWorkspace,
  connectWorkspace,
  createConnectionEnvironment,
  obtainConnectionTokens,
} from '../support/connections.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  readPage,
  signInAtAuthorize,
} from '../support/oauth.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { followRedirects } from '../support/providers/browser-flow.ts'
import { signIn, signInToApp } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createConnectionEnvironment()
const { pool, clock, seed } = environment
const [, rest] = environment.transports as [Transport, Transport]
test.after.always(() => environment.stop())

/** Signs in at GitHub and returns the outcome of exchanging the code for the workspace. */
async function exchangeOtherwise(
  transport: Transport,
  { workspace_id }: ConnectedWorkspace,
  email: string,
) {
  const { redirect, verifier } = await signInToApp(transport, 'github', email)
  const code = redirect.searchParams.get('code')
  return transport.call('ExchangeToken', { code, workspace_id, code_verifier: verifier })
}

/** Signs in at a connection to which an authorization request was redirected. */
async function completeAtConnection(
  transport: Transport,
  { provider }: ConnectedWorkspace,
  begun: Record<string, any>,
) {
  const callbackUrl = `${issuer}/auth/callback/${provider}`
  const { callback } = await followRedirects(begun.location, callbackUrl, { hint: '' })
  const message = { provider, ...Object.fromEntries(callback), login_state: begun.login_state }
  return expectOk(await transport.call('CompleteLogin', message))
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test.serial(`an enforced connection is the only way into its workspace ${over}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport)
    const { workspace_id, change } = connected
    const email = connected.assert('ann')
    await connected.addMember('viewer', 'ann')
    environment.addProviderUser({ email })
    const early = expectError(await change({ enforced: true }))
    t.is(early.reason, 'ENFORCEMENT_NOT_READY')
    t.is(early.code, 'already_exists')

    const before = expectOk(await exchangeOtherwise(transport, connected, email))
    const outsider = environment.addProviderUser()
    const { tokens: guest } = await signIn(transport, outsider, 'github')
    const { rows } = await pool.query('select id from users where email = $1', [outsider])
    await seed.member(workspace_id, rows[0].id, 'viewer')
    const move = { refresh_token: guest.refresh_token, workspace_id }
    const outside = expectOk(await transport.call('SwitchWorkspace', move))
    const byConnection = await obtainConnectionTokens(transport, connected)
    t.true(expectOk(await change({ enforced: true })).enforced)

    const me = (token: string) => transport.call('GetMe', {}, { token })
    t.is(expectError(await me(before.access_token)).reason, 'TOKEN_REVOKED')
    t.true((await me(byConnection.access_token)).ok)
    t.true((await me(outside.access_token)).ok, 'addresses of other domains are not affected')
    const refused = expectError(await exchangeOtherwise(transport, connected, email))
    t.is(refused.reason, 'CONNECTION_REQUIRED')
    t.is(refused.code, 'permission_denied')
    const { rows: users } = await pool.query('select id from users where email = $1', [email])
    const elsewhere = await seed.workspace()
    await seed.member(elsewhere, users[0].id, 'viewer')
    const other = { ...connected, workspace_id: elsewhere }
    const { refresh_token } = expectOk(await exchangeOtherwise(transport, other, email))
    const switched = expectError(
      await transport.call('SwitchWorkspace', { refresh_token, workspace_id }),
    )
    t.is(switched.reason, 'CONNECTION_REQUIRED')
    t.true((await me((await obtainConnectionTokens(transport, connected)).access_token)).ok)
    expectOk(await change({ enforced: false }))
    t.true((await exchangeOtherwise(transport, connected, email)).ok)
  })

  test.serial(`owners may break the glass, which is recorded ${over}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport)
    const { workspace_id, connection_id, change } = connected
    connected.assert('ann')
    await obtainConnectionTokens(transport, connected)
    const email = `boss@${connected.domain}`
    const boss = await connected.addMember('owner', 'boss')
    environment.addProviderUser({ email })
    const before = expectOk(await exchangeOtherwise(transport, connected, email))
    expectOk(await change({ enforced: true, break_glass: true }))
    const me = await transport.call('GetMe', {}, { token: before.access_token })
    t.true(me.ok, 'the sessions of owners go on')
    t.true((await exchangeOtherwise(transport, connected, email)).ok)
    const { rows } = await pool.query(
      `select actor_id, detail from activity
       where action = 'connection.break_glass_used' and workspace_id = $1`,
      [workspace_id],
    )
    t.deepEqual(rows, [{ actor_id: boss, detail: { connection_id, provider: 'github' } }])
    expectOk(await change({ break_glass: false }))
    const ended = await transport.call('GetMe', {}, { token: before.access_token })
    t.is(expectError(ended).reason, 'TOKEN_REVOKED')
    t.is(
      expectError(await exchangeOtherwise(transport, connected, email)).reason,
      'CONNECTION_REQUIRED',
    )
  })

  test.serial(
    `an authorization request leads to the connection of the address ${over}`,
    async (t) => {
      const connected = await connectWorkspace(t, environment, transport)
      const { provider, connection_id, domain, workspace_id } = connected
      const email = connected.assert('ann')
      const { client_id } = await createOAuthClient(environment)
      const start = (more: object) =>
        transport.call('Authorize', createAuthorizationRequest(client_id, { ...more }).request)

      const asking = readPage(expectOk(await start({})))
      t.regex(asking.text, /"login_hint"/)
      t.regex(asking.text, /nonce of the client/)
      const choosing = readPage(expectOk(await start({ login_hint: 'ann@unknown.example' })))
      const links = choosing.urls.filter(({ searchParams }) => searchParams.has('provider'))
      t.is(links.length, providerNames.length)
      t.true(links.every((url) => url.searchParams.get('login_hint') !== null))
      for (const more of [
        { login_hint: email },
        { login_hint: `Bob@${domain.toUpperCase()}` },
        { connection: connection_id },
        { provider },
      ]) {
        const { request } = createAuthorizationRequest(client_id, more)
        const { location } = await beginAtConnection(transport, 'Authorize', request)
        t.true(location.startsWith(connected.authority.url), JSON.stringify(more))
      }
      const wrong = expectOk(await start({ connection: 'x' }))
      t.is(new URL(wrong.location).searchParams.get('error'), 'invalid_request')

      const completed = await completeAtConnection(
        transport,
        connected,
        await beginAtConnection(
          transport,
          'Authorize',
          createAuthorizationRequest(client_id, { connection: connection_id }).request,
        ),
      )
      t.truthy(new URL(completed.location).searchParams.get('code'))
      const { browser_session } = completed
      const silent = { prompt: 'none', browser_session }
      const again = expectOk(await start(silent))
      t.truthy(new URL(again.location).searchParams.get('code'))
      const elsewhere = expectOk(await start({ ...silent, workspace: await seed.workspace() }))
      t.is(new URL(elsewhere.location).searchParams.get('error'), 'access_denied')
      const { rows } = await pool.query(
        `select distinct m.workspace_id from members m join users u on u.id = m.user_id
       where u.email = $1`,
        [email],
      )
      t.deepEqual(rows, [{ workspace_id }], 'no personal workspace was created')
    },
  )

  test.serial(
    `a browser that is signed in otherwise is sent to the connection ${over}`,
    async (t) => {
      const connected = await connectWorkspace(t, environment, transport)
      const { workspace_id, provider } = connected
      const email = connected.assert('ann')
      await obtainConnectionTokens(transport, connected)
      expectOk(await connected.change({ enforced: true }))
      environment.addProviderUser({ email })
      const { client_id } = await createOAuthClient(environment)
      const { request } = createAuthorizationRequest(client_id, { workspace: workspace_id })
      const page = await signInAtAuthorize(transport, email, request)
      const { browser_session } = page
      const silent = { ...request, prompt: 'none', browser_session }
      const refused = expectOk(await transport.call('Authorize', silent))
      t.is(new URL(refused.location).searchParams.get('error'), 'login_required')
      const shown = await transport.call('Authorize', { ...request, browser_session })
      const [url] = readPage(expectOk(shown)).urls
      t.is(url?.searchParams.get('provider'), provider)
      const next = { ...Object.fromEntries(url?.searchParams ?? []), browser_session }
      const begun = await beginAtConnection(transport, 'Authorize', next)
      const completed = await completeAtConnection(transport, connected, begun)
      t.truthy(new URL(completed.location).searchParams.get('code'))
    },
  )
}

test.serial('a connection can be enforced for a day after a sign-in by it', async (t) => {
  t.teardown(() => {
    clock.now = undefined
  })
  const connected = await connectWorkspace(t, environment, rest)
  connected.assert('ann')
  await obtainConnectionTokens(rest, connected)
  const otherClient = expectError(await connected.change({ enforced: true, client_id: 'other' }))
  t.is(otherClient.reason, 'ENFORCEMENT_NOT_READY')
  await pool.query(
    "update connections set last_sign_in_at = now() - interval '25 hours' where id = $1",
    [connected.connection_id],
  )
  const late = expectError(await connected.change({ enforced: true }))
  t.is(late.reason, 'ENFORCEMENT_NOT_READY')
})
