// Third-party clients require a passkey and a recent sign-in, without modification.
// Threat: a step-up that is only claimed.
import { spawn } from 'node:child_process'
import { setTimeout } from 'node:timers/promises'
import test, { type ExecutionContext } from 'ava'
import { decodeJwt } from 'jose'
import * as openid from 'openid-client'
import { findFreePort } from '../../src/core/free-port.ts'
import { registerAccountClient } from '../../src/identity/account-client.ts'
import { accountClientId } from '../../src/identity/store/client-store.ts'
import { createStores } from '../../src/server/stores.ts'
import { type createCookieJar, follow, startIssuer } from '../support/oauth-issuer.ts'
import { oauth2Proxy } from '../support/oauth2-proxy.ts'
import { beginSignIn } from '../support/openid-client.ts'
import {
  assertSoftPasskey,
  createSoftPasskey,
  type SoftPasskey,
} from '../support/software-authenticator.ts'

/** The cookies of a browser, by origin. */
type Jars = Map<string, ReturnType<typeof createCookieJar>>

const daikon = await startIssuer(
  {},
  { options: { SIGN_IN_METHODS: ['google', 'github', 'passkey'] }, settings: {} },
)
const { issuer, environment } = daikon
await registerAccountClient(createStores(environment.database.fork()), issuer)
const callback = 'https://rp.example.com/cb'
const { client_id } = await daikon.createClient(callback)
test.after.always(() => daikon.stop())

const begin = (parameters: Record<string, string>) =>
  beginSignIn(issuer, client_id, callback, parameters)

const passkeyPage = `${issuer}/auth/passkey`

async function post(path: string, body: object, headers: Record<string, string>): Promise<any> {
  const response = await fetch(`${issuer}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${path} returned ${response.status}: ${text}`)
  return JSON.parse(text)
}

/** Signs a new person in to the account page by Google, in the browser of `jars`, and adds a passkey. */
async function createPerson(jars: Jars): Promise<{ email: string; passkey: SoftPasskey }> {
  const email = environment.addProviderUser()
  const uri = `${issuer}/account/callback`
  const request = { provider: 'google', prompt: 'login', login_hint: email }
  const { start, grant } = await beginSignIn(issuer, accountClientId, uri, request)
  const { access_token } = await grant(await follow(start, uri, jars))
  const headers = { authorization: `Bearer ${access_token}` }
  const options = await post('/users/me/passkeys/options', {}, headers)
  const { passkey, credential } = createSoftPasskey(options, issuer)
  await post('/users/me/passkeys', { credential }, headers)
  return { email, passkey }
}

/** Uses a passkey on the page at `url`. Returns where the browser goes on. */
async function usePasskey(url: URL, jars: Jars, passkey: SoftPasskey): Promise<string> {
  const state = url.searchParams.get('state')
  const headers = { cookie: jars.get(issuer)?.header() ?? '' }
  const options = await post('/auth/passkey/options', { state }, headers)
  const credential = assertSoftPasskey(passkey, options, issuer)
  return (await post('/auth/passkey', { state, credential }, headers)).location
}

/** Follows the link of the page at `url` for people without a passkey. */
async function leave(url: URL, jars: Jars): Promise<string> {
  const response = await fetch(url, { headers: { cookie: jars.get(issuer)?.header() ?? '' } })
  const [, link = ''] =
    /href="([^"]+)"[^>]*>[^<]*I have no passkey/.exec(await response.text()) ?? []
  return link.replaceAll('&#38;', '&')
}

async function refuses(t: ExecutionContext, tokens: Promise<unknown>, expected: string) {
  const error = await t.throwsAsync(tokens, { instanceOf: openid.AuthorizationResponseError })
  t.is(error?.error, expected)
}

test('openid-client requires a recent sign-in with a passkey', async (t) => {
  const jars: Jars = new Map()
  const { passkey } = await createPerson(jars)
  const request = { acr_values: 'phr', max_age: '600' }
  const refusesSilently = async () => {
    const { start, grant } = await begin({ ...request, prompt: 'none' })
    await refuses(t, grant(await follow(start, callback, jars)), 'login_required')
  }
  // The session by Google is recent, but too weak.
  await refusesSilently()
  const { config, start, grant } = await begin(request)
  t.deepEqual(config.serverMetadata().acr_values_supported, ['phr'])
  const page = await follow(start, passkeyPage, jars)
  const redirect = await follow(await usePasskey(page, jars, passkey), callback, jars)
  const tokens = await grant(redirect, { maxAge: 600 })
  const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
  const silent = await begin({ ...request, prompt: 'none' })
  const again = await silent.grant(await follow(silent.start, callback, jars), { maxAge: 600 })
  const { auth_time } = decodeJwt(tokens.access_token)
  t.true(Math.abs(Number(auth_time) - Date.now() / 1000) < 300)
  for (const { id_token = '', access_token } of [tokens, refreshed, again])
    for (const token of [id_token, access_token])
      t.like(decodeJwt(token), { acr: 'phr', amr: ['pop', 'user', 'mfa'], auth_time })

  await environment.pool.query(
    `update browser_sessions set authenticated_at = authenticated_at - interval '20 minutes'`,
  )
  await refusesSilently()
  const late = await begin(request)
  t.is((await follow(late.start, passkeyPage, jars)).pathname, '/auth/passkey')
})

test('openid-client learns that a person has no passkey', async (t) => {
  const jars: Jars = new Map()
  const { start, grant } = await begin({ acr_values: 'phr' })
  const link = await leave(await follow(start, passkeyPage, jars), jars)
  const redirect = await follow(link, callback, jars)
  await refuses(t, grant(redirect), 'unmet_authentication_requirements')
})

test('openid-client learns that a provider did not report when the person signed in', async (t) => {
  const login_hint = environment.addProviderUser()
  const signIn = async (provider: string, maxAge: number) => {
    const { start, grant } = await begin({ provider, login_hint, max_age: String(maxAge) })
    return grant(await follow(start, callback), { maxAge })
  }
  await refuses(t, signIn('github', 600), 'unmet_authentication_requirements')
  for (const tokens of [await signIn('github', 3600), await signIn('google', 600)])
    t.is(tokens.claims()?.acr, undefined)
})

const proxyTest = oauth2Proxy ? test : test.skip

proxyTest('oauth2-proxy requires a recent sign-in with a passkey', async (t) => {
  const port = await findFreePort()
  const proxy = `http://localhost:${port}`
  const redirectUri = `${proxy}/oauth2/callback`
  const client = await daikon.createClient(redirectUri, {
    type: 'confidential',
    pkce_required: false,
  })
  const child = spawn(oauth2Proxy ?? '', [
    '--provider=oidc',
    `--oidc-issuer-url=${issuer}`,
    // Its discovery would replace the URL, and it has no option for max_age.
    '--skip-oidc-discovery',
    `--login-url=${issuer}/oauth/authorize?max_age=600`,
    `--redeem-url=${issuer}/oauth/token`,
    `--oidc-jwks-url=${issuer}/.well-known/jwks.json`,
    '--acr-values=phr',
    `--client-id=${client.client_id}`,
    `--client-secret=${client.client_secret}`,
    `--redirect-url=${redirectUri}`,
    `--http-address=127.0.0.1:${port}`,
    '--email-domain=*',
    '--cookie-secret=0123456789abcdef0123456789abcdef',
    '--cookie-secure=false',
    '--upstream=static://202',
  ])
  t.teardown(() => child.kill())
  while (!(await fetch(`${proxy}/ping`).catch(() => undefined))) {
    if (child.exitCode !== null) throw new Error('oauth2-proxy ended')
    await setTimeout(100)
  }
  const userUri = `${proxy}/oauth2/userinfo`
  const jars: Jars = new Map()
  const { email, passkey } = await createPerson(jars)
  const page = await follow(`${proxy}/oauth2/start?rd=/oauth2/userinfo`, passkeyPage, jars)
  await follow(await usePasskey(page, jars, passkey), userUri, jars)
  const headers = { cookie: jars.get(proxy)?.header() ?? '' }
  const user = (await (await fetch(userUri, { headers })).json()) as { email: string }
  t.is(user.email, email)

  const others: Jars = new Map()
  const start = await follow(`${proxy}/oauth2/start`, passkeyPage, others)
  const refused = await follow(await leave(start, others), redirectUri, others)
  t.is(refused.searchParams.get('error'), 'unmet_authentication_requirements')
  const cookie = others.get(proxy)?.header() ?? ''
  t.is((await fetch(refused, { headers: { cookie } })).status, 403)
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
