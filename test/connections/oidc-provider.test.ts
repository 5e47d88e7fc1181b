// Sign-ins through a connection to oidc-provider, a certified provider, with the redirects that a browser follows.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type ExecutionContext } from 'ava'
import { decodeJwt } from 'jose'
import OidcProvider, { type Configuration } from 'oidc-provider'
import * as openid from 'openid-client'
import { createSigningKey } from '../../src/dev/mock-oidc.ts'
import { createAdmin } from '../support/admin.ts'
import { connectToProvider } from '../support/connections.ts'
import { type createCookieJar, follow, startIssuer } from '../support/oauth-issuer.ts'
import { beginSignIn } from '../support/openid-client.ts'
import { expectOk } from '../support/outcome.ts'
import type { Transport } from '../support/transports.ts'

const daikon = await startIssuer()
const environment = { ...daikon.environment, admin: await createAdmin(daikon.environment) }
const [, rest] = environment.transports as [Transport, Transport]
test.after.always(() => daikon.stop())

const callback = 'https://rp.example.com/cb'
const postLogoutUri = 'https://rp.example.com/bye'
const person = { sub: 'ann', email_verified: true, name: 'Ann Example', given_name: 'Ann' }
const company = { roles: ['staff', 'it'], teams: ['engineering'] }

/** Starts a provider at which Ann signs in at once. `requests` are the authorization requests to it. */
async function startProvider(t: ExecutionContext, email: string, settings: Configuration = {}) {
  const requests: URLSearchParams[] = []
  const server = createServer((request, response) => handle(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new OidcProvider(issuer, {
    jwks: { keys: [await createSigningKey()] as never },
    cookies: { keys: ['key'] },
    features: { devInteractions: { enabled: false }, registration: { enabled: true } },
    pkce: { required: () => true },
    conformIdTokenClaims: false,
    scopes: ['openid', 'email', 'profile', 'company'],
    claims: {
      email: ['email', 'email_verified'],
      profile: ['name', 'given_name'],
      company: ['roles', 'teams'],
    },
    interactions: { url: (_, { uid }) => `/interaction/${uid}` },
    findAccount: (_, accountId) => ({
      accountId,
      claims: () => ({ ...person, ...company, email }),
    }),
    ...settings,
  })
  const handleOthers = provider.callback()

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? '', issuer)
    if (pathname === '/auth') requests.push(searchParams)
    if (!pathname.startsWith('/interaction/')) return handleOthers(request, response)
    const { params } = await provider.interactionDetails(request, response)
    const grant = new provider.Grant({ accountId: person.sub, clientId: String(params.client_id) })
    grant.addOIDCScope(String(params.scope))
    const consent = { grantId: await grant.save() }
    const result = { login: { accountId: person.sub }, consent }
    await provider.interactionFinished(request, response, result)
  }
  return { issuer, requests }
}

/** Connects a workspace to the provider, and registers daikon as its client. */
async function connect(issuer: string, domain: string) {
  const connected = await connectToProvider(environment, rest, domain, {
    ...{ issuer, client_id: 'not known yet', client_secret: 'secret' },
    scopes: ['openid', 'email', 'profile', 'company'],
  })
  const response = await fetch(`${issuer}/reg`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [connected.connection.redirect_uri] }),
  })
  const { client_id, client_secret } = (await response.json()) as Record<string, string>
  expectOk(await connected.change({ client_id, client_secret }))
  return connected
}

/** Signs in to a client app of the workspace as a browser with these cookies. */
async function signIn(
  workspace_id: string,
  parameters: Record<string, string>,
  jars: Map<string, ReturnType<typeof createCookieJar>>,
) {
  const row = { workspace_id, post_logout_redirect_uris: [postLogoutUri] }
  const { client_id } = await daikon.createClient(callback, row)
  const { config, start, grant } = await beginSignIn(daikon.issuer, client_id, callback, parameters)
  const redirect = await follow(start, callback, jars)
  return { config, redirect, grant: () => grant(redirect) }
}

test('signs in with PKCE and a nonce, maps role and groups, and signs out', async (t) => {
  const email = 'ann@first.example'
  const { issuer, requests } = await startProvider(t, email)
  const { workspace_id, connection_id, change } = await connect(issuer, 'first.example')
  const group = await environment.seed.group(workspace_id)
  const mapping = {
    ...{ role_claim: 'roles', roles: { staff: 'editor', it: 'admin' } },
    ...{ groups_claim: 'teams', groups: { engineering: group } },
  }
  expectOk(await change({ mapping }))

  const jars: Parameters<typeof follow>[2] = new Map()
  const { config, grant } = await signIn(workspace_id, { connection: connection_id }, jars)
  const [first, ...others] = requests
  t.is(others.length, 0)
  for (const name of ['state', 'nonce', 'code_challenge'])
    t.regex(first?.get(name) ?? '', /^[\w-]{43,}$/, name)
  t.is(first?.get('code_challenge_method'), 'S256')
  t.is(first?.get('scope'), 'openid email profile company')

  const tokens = await grant()
  t.like(tokens.claims(), { email, name: 'Ann Example', given_name: 'Ann' })
  t.like(decodeJwt(tokens.access_token), {
    ...{ wid: workspace_id, wrole: 'admin', groups: [group], connection_id },
  })
  const next = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
  const end = openid.buildEndSessionUrl(config, {
    id_token_hint: next.id_token ?? '',
    post_logout_redirect_uri: postLogoutUri,
  })
  t.is((await follow(end, postLogoutUri, jars)).href, postLogoutUri)
  const error = await t.throwsAsync(openid.refreshTokenGrant(config, next.refresh_token ?? ''))
  t.is((error as openid.ResponseBodyError).error, 'invalid_grant')

  const again = await signIn(workspace_id, { login_hint: email }, jars)
  const [, second] = requests
  t.is(second?.get('login_hint'), email, 'the address leads to the provider')
  t.not(second?.get('nonce'), first?.get('nonce'))
  t.is((await again.grant()).claims()?.sub, tokens.claims()?.sub)
})

test('reads the address from UserInfo if the ID token lacks it', async (t) => {
  // By default, oidc-provider returns claims from UserInfo alone.
  const { issuer } = await startProvider(t, 'ann@second.example', { conformIdTokenClaims: true })
  const { workspace_id, connection_id } = await connect(issuer, 'second.example')
  const { redirect } = await signIn(workspace_id, { connection: connection_id }, new Map())
  t.is(redirect.searchParams.get('error'), null)
})

test('signs nobody in if UserInfo lacks the address, too', async (t) => {
  const { issuer } = await startProvider(t, 'ann@third.example', { claims: {} })
  const { workspace_id, connection_id } = await connect(issuer, 'third.example')
  const { redirect } = await signIn(workspace_id, { connection: connection_id }, new Map())
  t.is(redirect.searchParams.get('error'), 'access_denied')
  t.regex(redirect.searchParams.get('error_description') ?? '', /shares no e-mail address/)
})
