// Threat: browsers, scanners of e-mails and proxies open links that the user has not chosen.
import test from 'ava'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  readPage,
  signInWithOAuth,
} from '../support/oauth.ts'
import { expectOk } from '../support/outcome.ts'
import { followRedirects } from '../support/providers/browser-flow.ts'
import { createSignInEnvironment } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
const { pool, seed, addProviderUser } = environment
const [, rest] = environment.transports as [Transport, Transport]
const client = await createOAuthClient(environment)
test.after.always(() => environment.stop())

/** Requests that nobody has made who wants to see a page. */
const unattended: Record<string, RequestInit> = {
  HEAD: { method: 'HEAD' },
  prefetch: { headers: { 'sec-purpose': 'prefetch' } },
  prerender: { headers: { 'sec-purpose': 'prefetch;prerender' } },
  'prefetch in older browsers': { headers: { purpose: 'prefetch' } },
  'prefetch in older Firefox': { headers: { 'x-moz': 'prefetch' } },
}

const send = (url: string, cookies: Record<string, string>, init: RequestInit = {}) => {
  const { pathname, search } = new URL(url)
  const cookie = Object.entries(cookies).map((pair) => pair.join('='))
  const headers = { ...init.headers, cookie: cookie.join('; '), accept: 'text/html' }
  const address = `http://127.0.0.1:${environment.httpPort}${pathname}${search}`
  return fetch(address, { redirect: 'manual', ...init, headers })
}

/** Expects unattended requests to set no cookie and lead nowhere. */
async function expectNothing(t: any, url: string, cookies: Record<string, string>) {
  for (const [title, init] of Object.entries(unattended)) {
    const response = await send(url, cookies, init)
    t.is(response.status, init.method === 'HEAD' ? 200 : 503, title)
    t.is(response.headers.get('location'), null, title)
    t.deepEqual(response.headers.getSetCookie(), [], title)
    t.is(response.headers.get('cache-control'), 'no-store', title)
  }
}

test('signing out with an ID token takes a visit', async (t) => {
  const { tokens, browser_session } = await signInWithOAuth(environment, rest, { client })
  const url = `${issuer}/oauth/logout?id_token_hint=${tokens.id_token}`
  const cookies = { daikon_session: browser_session }
  const getMe = () => rest.call('GetMe', {}, { token: tokens.access_token })
  await expectNothing(t, url, cookies)
  t.true((await getMe()).ok)
  t.is((await send(url, cookies)).status, 200)
  t.false((await getMe()).ok)
})

test('a confirmation in a link neither joins nor signs out', async (t) => {
  const workspace_id = await seed.workspace('Acme')
  const token = await environment.token(await seed.newMember(workspace_id, 'owner'), workspace_id)
  const { email, browser_session } = await signInWithOAuth(environment, rest, { client })
  const invite = { workspace_id, email, role: 'admin' }
  const { invitation_url: url } = expectOk(await rest.call('InviteMember', invite, { token }))
  const isPending = async () => {
    const sql = `select from members m join users u on u.id = m.user_id
      where m.workspace_id = $1 and u.email = $2 and joined_at is null`
    return (await pool.query(sql, [workspace_id, email])).rows.length === 1
  }
  const cookies = { daikon_session: browser_session }
  const pages = [url, `${issuer}/oauth/logout`]
  const { request } = createAuthorizationRequest(client.client_id, { workspace: workspace_id })
  pages.push(`${issuer}/oauth/authorize?${new URLSearchParams(request)}`)
  const codes = async () => {
    const sql = `select from authorization_codes c join users u on u.id = c.user_id where u.email = $1`
    return (await pool.query(sql, [email])).rows.length
  }
  const before = await codes()
  for (const page of pages) {
    const html = await (await send(page, cookies)).text()
    const { confirmation } = readPage({ html }).choices[0] as { confirmation: string }
    const link = new URL(page)
    link.searchParams.set('confirmation', confirmation)
    await expectNothing(t, link.href, cookies)
    const visited = await send(link.href, cookies)
    t.is(visited.headers.get('location'), null)
    t.is(readPage({ html: await visited.text() }).choices[0]?.confirmation, confirmation)
    // A form of another site has no cookie, and is repeated as a link.
    const form = {
      method: 'POST',
      headers: {
        origin: 'https://evil.example',
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: String(new URLSearchParams({ confirmation })),
    }
    t.is((await send(page, cookies, form)).status, 303)
    t.true(await isPending())
  }
  t.is(await codes(), before)
  t.is((await send(url, cookies)).status, 200, 'the session is open')
})

test('the pages with a form send its origin to daikon alone', async (t) => {
  const { browser_session } = await signInWithOAuth(environment, rest, { client })
  const cookies = { daikon_session: browser_session }
  const response = await send(`${issuer}/oauth/logout`, cookies)
  t.is(response.headers.get('referrer-policy'), 'same-origin')
  t.regex(response.headers.get('content-security-policy') ?? '', /form-action https: http:/)
  const { confirmation } = readPage({ html: await response.text() }).choices[0] as any
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  const post = (origin: string) =>
    send(`${issuer}/oauth/logout`, cookies, {
      method: 'POST',
      headers: { ...headers, origin },
      body: `confirmation=${confirmation}`,
    })
  t.is((await post('null')).status, 303)
  const signedOut = await post(`http://127.0.0.1:${environment.httpPort}`)
  t.regex(await signedOut.text(), /You are signed out/)
})

test('a sign-in is completed by a visit', async (t) => {
  const begun = await send(
    `${issuer}/oauth/authorize?${new URLSearchParams({ ...createAuthorizationRequest(client.client_id).request, provider: 'google' })}`,
    {},
  )
  const [name = '', value = ''] =
    /^([^=]+)=([^;]*)/.exec(begun.headers.getSetCookie()[0] ?? '')?.slice(1) ?? []
  const callbackUrl = `${issuer}/auth/callback/google`
  const visitor = { hint: addProviderUser() }
  const start = begun.headers.get('location') ?? ''
  const { callback } = await followRedirects(start, callbackUrl, visitor)
  const url = `${callbackUrl}?${callback}`
  await expectNothing(t, url, { [name]: value })
  const done = await send(url, { [name]: value })
  t.regex(done.headers.get('location') ?? '', /code=/)
})
