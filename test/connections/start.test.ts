// Threats: a workspace's provider signs strangers in as somebody else.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createStores } from '../../src/server/stores.ts'
import {
  beginAtConnection,
  type ConnectedWorkspace,
  connectWorkspace,
  createConnectionEnvironment,
  obtainConnectionCode,
  signInByConnection,
} from '../support/connections.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  readPage,
} from '../support/oauth.ts'
import { expectOk } from '../support/outcome.ts'
import { followRedirects } from '../support/providers/browser-flow.ts'
import { appUri, createPkce } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createConnectionEnvironment()
const { seed, database } = environment
const [, rest] = environment.transports as [Transport, Transport]
test.after.always(() => environment.stop())

/** Returns every way in to a connection, as a method with its message. */
async function listWays(transport: Transport, connected: ConnectedWorkspace) {
  const { client_id } = await createOAuthClient(environment)
  const { request } = createAuthorizationRequest(client_id)
  const workspace_id = await seed.workspace()
  const token = await environment.token(await seed.newMember(workspace_id, 'owner'), workspace_id)
  const email = `${randomUUID()}@example.com`
  const invite = { workspace_id, email, role: 'viewer' }
  const invited = expectOk(await transport.call('InviteMember', invite, { token }))
  const { challenge } = createPkce()
  const { connection_id, provider, domain } = connected
  const pkce = { code_challenge: challenge, code_challenge_method: 'S256' }
  return {
    connection: ['Authorize', { ...request, connection: connection_id }],
    provider: ['Authorize', { ...request, provider }],
    login_hint: ['Authorize', { ...request, login_hint: `ann@${domain}` }],
    login: ['BeginLogin', { provider, redirect_uri: appUri, ...pkce, state: 'x' }],
    invitation: [
      'OpenInvitation',
      { token: new URL(invited.invitation_url).pathname.split('/').at(-1), provider },
    ],
  } as Record<string, [method: string, message: Record<string, string>]>
}

async function signedIn(transport: Transport, connected: ConnectedWorkspace) {
  connected.assert('ann')
  const { outcome } = await signInByConnection(transport, connected)
  return expectOk(outcome)
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a stranger is asked before any way to a connection's provider ${over}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport)
    const { host } = new URL(connected.authority.url)
    const other = expectOk(
      await transport.call(
        'Authorize',
        (await listWays(transport, connected)).connection?.[1] ?? {},
      ),
    )
    for (const [way, [method, message]] of Object.entries(await listWays(transport, connected))) {
      const ask = async (more: object = {}) =>
        expectOk(await transport.call(method, { ...message, ...more }))
      const asking = await ask()
      t.falsy(asking.location, way)
      t.falsy(asking.login_state, way)
      const page = readPage(asking)
      t.true(page.text.includes(host), way)
      const [url] = page.urls
      const confirmed = Object.fromEntries(url?.searchParams ?? [])
      for (const forged of [
        { ...confirmed, browser: other.browser },
        { ...confirmed, browser: undefined },
        { ...confirmed, browser: asking.browser, confirmation: randomUUID() },
        { ...confirmed, browser: `${asking.browser}x` },
      ]) {
        t.falsy((await ask(forged)).location, way)
      }
      const begun = await ask({ ...confirmed, browser: asking.browser })
      t.is(new URL(begun.location).host, host, way)
    }
  })

  test(`the name of a connection's provider has its ID in any case ${over}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport)
    const { browser } = await signedIn(transport, connected)
    const { host } = new URL(connected.authority.url)
    const provider = `connection:${connected.connection_id.toUpperCase()}`
    const ways = await listWays(transport, { ...connected, provider })
    for (const [way, [method, message]] of Object.entries(ways)) {
      const begun = expectOk(await transport.call(method, { ...message, browser }))
      t.is(new URL(begun.location).host, host, way)
    }
  })

  test(`a browser that has signed in through the connection is not asked ${over}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport)
    const other = await connectWorkspace(t, environment, transport)
    const { browser } = await signedIn(transport, connected)
    for (const [way, [method, message]] of Object.entries(await listWays(transport, connected)))
      t.truthy(expectOk(await transport.call(method, { ...message, browser })).location, way)
    for (const [way, [method, message]] of Object.entries(await listWays(transport, other)))
      t.falsy(expectOk(await transport.call(method, { ...message, browser })).location, way)
  })

  test(`an app of the workspace, and an address typed on the page, begin at once ${over}`, async (t) => {
    const connected = await connectWorkspace(t, environment, transport)
    const { host } = new URL(connected.authority.url)
    const hostOf = (response: Record<string, any>) => new URL(response.location).host
    const bound = await createOAuthClient(environment, { workspace_id: connected.workspace_id })
    const { request } = createAuthorizationRequest(bound.client_id)
    const named = { ...request, connection: connected.connection_id }
    t.is(hostOf(expectOk(await transport.call('Authorize', named))), host)

    const { client_id } = await createOAuthClient(environment)
    const free = createAuthorizationRequest(client_id).request
    const asking = expectOk(await transport.call('Authorize', free))
    const fields = asking.page
      ? asking.page.fields.map(({ name, value }: Record<string, string>) => [name, value])
      : [...asking.html.matchAll(/name="([^"]*)" value="([^"]*)"/g)].map(([, ...pair]) => pair)
    const { confirmation } = Object.fromEntries(fields)
    const { browser } = asking
    const typed = { ...free, confirmation, browser, login_hint: `ann@${connected.domain}` }
    t.is(hostOf(expectOk(await transport.call('Authorize', typed))), host)
    const elsewhere = { ...typed, state: 'another flow' }
    t.falsy(expectOk(await transport.call('Authorize', elsewhere)).location)
  })
}

test('no sign-in begins without a verified domain, or without interaction', async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  const { connection, login } = await listWays(rest, connected)
  const silent = { ...connection?.[1], prompt: 'none' }
  const errorOf = (response: Record<string, any>) =>
    new URL(response.location).searchParams.get('error')
  t.is(errorOf(expectOk(await rest.call('Authorize', silent))), 'login_required')
  const { connectionDomains } = createStores(database.fork())
  await connectionDomains.unverify(connected.connection_id, connected.domain)
  t.is(errorOf(expectOk(await rest.call('Authorize', connection?.[1] ?? {}))), 'access_denied')
  t.is(errorOf(expectOk(await rest.call('BeginLogin', login?.[1] ?? {}))), 'access_denied')
  t.is((await obtainConnectionCode(rest, connected)).error, 'access_denied')
})

test("a connection's callback does not replace another person's session", async (t) => {
  const connected = await connectWorkspace(t, environment, rest)
  connected.assert('mallory')
  const { client_id } = await createOAuthClient(environment)
  const { request } = createAuthorizationRequest(client_id)
  const victim = await seed.user('victim')
  const { browserSessions } = createStores(database.fork())
  const secret = randomUUID()
  const now = new Date()
  const session = {
    ...{ id: randomUUID(), secret, userId: victim, provider: 'google' },
    ...{ authenticatedAt: now, isTimeReported: true, isStepUp: false, amr: [], createdAt: now },
    ...{
      browserHash: '',
      lacksPersonalWorkspace: true,
      expiresAt: new Date(now.getTime() + 3_600_000),
    },
  }
  await browserSessions.create(session, 10)
  const named = { ...request, connection: connected.connection_id }
  const begun = await beginAtConnection(rest, 'Authorize', named)
  const { provider } = connected
  const callbackUrl = `${issuer}/auth/callback/${provider}`
  const { callback } = await followRedirects(begun.location, callbackUrl, { hint: '' })
  const { login_state } = begun
  const message = { ...Object.fromEntries(callback), provider, login_state }
  const completed = expectOk(
    await rest.call('CompleteLogin', { ...message, browser_session: secret }),
  )
  t.is(completed.browser_session, undefined)
  t.is(new URL(completed.location).searchParams.get('code'), null)
  t.truthy(completed.pending_session)
})
