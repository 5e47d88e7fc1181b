// Threat: a step-up that is only claimed.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import {
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
import { expectOk } from '../support/outcome.ts'
import { followRedirects } from '../support/providers/browser-flow.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createConnectionEnvironment()
const { seed, pool } = environment
const { client_id } = await createOAuthClient(environment)
test.after.always(() => environment.stop())

type Cookies = { browser_session?: string; browser?: string }

/** Opens a URL of `/oauth/authorize` in the browser that has these cookies. */
async function open(transport: Transport, url: URL | string, cookies: Cookies) {
  const message = { ...Object.fromEntries(new URL(url).searchParams), ...cookies }
  return expectOk(await transport.call('Authorize', message))
}

/** Follows the first link of each page until the browser is sent to the connection. */
async function followLinks(
  transport: Transport,
  { authority, provider }: ConnectedWorkspace,
  url: string,
  cookies: Cookies,
) {
  let shown = await open(transport, url, cookies)
  for (let page = 0; page < 4 && !shown.location; page += 1) {
    const { browser = cookies.browser } = shown
    const next = readPage(shown).urls.find(({ searchParams }) =>
      [provider, null].includes(searchParams.get('provider')),
    )
    if (!next) throw new Error(JSON.stringify(shown))
    shown = await open(transport, next, { ...cookies, ...(browser && { browser }) })
  }
  if (!shown.location?.startsWith(authority.url)) throw new Error(JSON.stringify(shown))
  return shown
}

/** Completes a sign-in at the connection. Returns the redirect to the client app. */
async function complete(
  transport: Transport,
  { provider }: ConnectedWorkspace,
  begun: Record<string, string>,
  { browser_session }: Cookies,
) {
  const callbackUrl = `${issuer}/auth/callback/${provider}`
  const { callback } = await followRedirects(begun.location ?? '', callbackUrl, { hint: '' })
  const { login_state } = begun
  const message = { provider, ...Object.fromEntries(callback), login_state, browser_session }
  const { location } = expectOk(await transport.call('CompleteLogin', message))
  return new URL(location).searchParams
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  /** A member of a workspace that requires its connection, who signs in with Google first. */
  const arrive = async (
    t: Parameters<typeof connectWorkspace>[0],
    more: Record<string, string>,
    hasOthers = false,
  ) => {
    const connected = await connectWorkspace(t, environment, transport)
    const { workspace_id } = connected
    const email = connected.assert('ann')
    await obtainConnectionTokens(transport, connected)
    expectOk(await connected.change({ enforced: true }))
    environment.addProviderUser({ email })
    if (hasOthers) {
      const { rows } = await pool.query('select id from users where email = $1', [email])
      await seed.member(await seed.workspace(), rows[0].id, 'viewer')
    }
    const workspace = hasOthers ? {} : { workspace: workspace_id }
    const { request } = createAuthorizationRequest(client_id, { ...workspace, ...more })
    const shown = await signInAtAuthorize(transport, email, request)
    const cookies: Cookies = { browser_session: shown.browser_session }
    return { connected, cookies, url: String(shown.location), request }
  }

  test(`max_age, acr_values and prompt hold at the connection that a workspace requires ${over}`, async (t) => {
    const required = { max_age: '7200', acr_values: 'gold silver', prompt: 'login' }
    const seconds = Math.floor(Date.now() / 1000)
    for (const [auth_time, error] of [
      [seconds - 8000, 'unmet_authentication_requirements'],
      // The time of the callback counts.
      [undefined, null],
      [seconds - 60, null],
    ] as const) {
      const { connected, cookies, url } = await arrive(t, required)
      connected.assert('ann', { auth_time })
      const begun = await followLinks(transport, connected, url, cookies)
      t.like(Object.fromEntries(new URL(begun.location).searchParams), required)
      const redirect = await complete(transport, connected, begun, cookies)
      t.is(redirect.get('error'), error, String(auth_time))
      t.is(redirect.has('code'), error === null)
    }
  })

  test(`they also hold after a choice of the workspace ${over}`, async (t) => {
    const { connected, cookies, url } = await arrive(t, { max_age: '7200' }, true)
    const choosing = readPage(await open(transport, url, cookies))
    const chosen = choosing.urls.map((link) => {
      link.searchParams.set('workspace', connected.workspace_id)
      return link.href
    })
    const old = Math.floor(Date.now() / 1000) - 8000
    connected.assert('ann', { auth_time: old })
    const begun = await followLinks(transport, connected, chosen[0] ?? '', cookies)
    t.is(new URL(begun.location).searchParams.get('max_age'), '7200')
    const redirect = await complete(transport, connected, begun, cookies)
    t.is(redirect.get('error'), 'unmet_authentication_requirements')
  })

  test(`a page after a sign-in does not ask for another one ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const user = await seed.user('several', { email })
    for (const role of ['viewer', 'owner'] as const)
      await seed.member(await seed.workspace(), user, role)
    const required = { max_age: '3600', prompt: 'login' }
    const { request } = createAuthorizationRequest(client_id, required)
    const { location, browser_session } = await signInAtAuthorize(transport, email, request)
    const [link] = readPage(await open(transport, location, { browser_session })).urls
    const { location: redirect } = await open(transport, link ?? '', { browser_session })
    t.truthy(new URL(redirect).searchParams.get('code'))
  })

  test(`no connection meets acr_values=phr, which the client app is told at once ${over}`, async (t) => {
    const { connected, cookies, request } = await arrive(t, {})
    await pool.query(
      `update browser_sessions s set provider = 'passkey:' || gen_random_uuid() from users u
      where u.id = s.user_id and u.email = $1`,
      [connected.assert('ann')],
    )
    const node = await passkeyNode()
    const [grpc, rest] = node.transports
    const { location } = expectOk(
      await ((transport.name === 'grpc' ? grpc : rest) as Transport).call('Authorize', {
        ...{ ...request, state: randomUUID(), acr_values: 'phr' },
        ...cookies,
      }),
    )
    t.is(new URL(location).searchParams.get('error'), 'unmet_authentication_requirements')
  })
}

let started: ReturnType<typeof environment.addNode> | undefined

/** A node of this environment where people sign in with passkeys, too. */
function passkeyNode() {
  started ??= environment.addNode({
    SIGN_IN_METHODS: ['google', 'microsoft', 'github', 'oidc', 'passkey'],
  })
  return started
}
