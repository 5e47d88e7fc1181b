// Threat: cookie tossing. A page on another port, path or sibling domain can set a cookie for this
// host, but none whose name begins with `__Host-`.
import test from 'ava'
import {
  createAuthorizationRequest,
  createOAuthClient,
  signInAtAuthorize,
} from '../support/oauth.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createSignInEnvironment, signInAtProvider } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment({ options: { COOKIE_SECURE: true } })
// Over gRPC, a sign-in returns the values of its cookies.
const [grpc] = environment.transports as [Transport, Transport]
const client = await createOAuthClient(environment)
test.after.always(() => environment.stop())

async function get(path: string, cookie: string) {
  const { status, headers } = await sendRawHttp(environment.httpPort, { path, headers: { cookie } })
  return { status, location: headers.location, cookies: headers['set-cookie'] ?? [] }
}

/** Signs a user in and returns the value of their session cookie. */
async function createSession(): Promise<string> {
  const { request } = createAuthorizationRequest(client.client_id)
  const email = environment.addProviderUser()
  return (await signInAtAuthorize(grpc, email, request)).browser_session
}

/** Returns what the client app receives from a silent sign-in. */
async function signInSilently(cookie: string): Promise<URLSearchParams> {
  const { request } = createAuthorizationRequest(client.client_id, { prompt: 'none' })
  const { location } = await get(`/oauth/authorize?${new URLSearchParams(request)}`, cookie)
  return new URL(String(location)).searchParams
}

/** Returns the ID of the user for whom a redirect has a code. */
async function userOf(redirect: URLSearchParams): Promise<string> {
  const { rows } = await environment.pool.query(
    "select user_id from authorization_codes where code_hash = encode(sha256($1), 'hex')",
    [redirect.get('code')],
  )
  return rows[0].user_id
}

async function ownerOf(session: string): Promise<string> {
  const { rows } = await environment.pool.query(
    "select user_id from browser_sessions where secret_hash = encode(sha256($1), 'hex')",
    [session],
  )
  return rows[0].user_id
}

/** The names under which another page can set a cookie. */
const tossed = [
  'daikon_session',
  '__host-daikon_session',
  '__Secure-daikon_session',
  '\xa0__Host-daikon_session',
  '__Host-daikon_session\xa0',
]

test('a session cookie that another page has set signs nobody in', async (t) => {
  const attacker = await createSession()
  for (const name of tossed) {
    t.is((await signInSilently(`${name}=${attacker}`)).get('error'), 'login_required', name)
  }
  const own = await signInSilently(`__Host-daikon_session=${attacker}`)
  t.is(await userOf(own), await ownerOf(attacker))
})

test("a session cookie that another page has set does not replace the user's", async (t) => {
  const attacker = await createSession()
  const victim = await createSession()
  for (const name of tossed) {
    for (const cookie of [
      `${name}=${attacker}; __Host-daikon_session=${victim}`,
      `__Host-daikon_session=${victim}; ${name}=${attacker}`,
    ])
      t.is(await userOf(await signInSilently(cookie)), await ownerOf(victim), cookie)
  }
})

test('the state of a sign-in that another page has set is refused', async (t) => {
  const { message } = await signInAtProvider(grpc, 'google', environment.addProviderUser())
  const { provider, login_state, ...query } = message as Record<string, string>
  const path = `/auth/callback/${provider}?${new URLSearchParams(query)}`
  const refused = await get(path, `login_${query.state}=${login_state}`)
  t.is(refused.status, 400)
  t.deepEqual(refused.cookies, [])
  const { status, cookies } = await get(path, `__Host-login_${query.state}=${login_state}`)
  t.is(status, 302)
  const [deletion = '', browser = '', ...others] = cookies
  t.deepEqual(others, [])
  // The browser remembers how its user has signed in.
  t.true(browser.startsWith('__Host-daikon_browser='), browser)
  t.true(deletion.startsWith(`__Host-login_${query.state}=; Max-Age=0; Path=/; `), deletion)
})

test('the cookies of a sign-in are bound to this host', async (t) => {
  const { request } = createAuthorizationRequest(client.client_id, { provider: 'google' })
  const begun = await get(`/oauth/authorize?${new URLSearchParams(request)}`, '')
  const [cookie = ''] = begun.cookies
  t.regex(cookie, /^__Host-login_[\w-]{43}=/)
  t.regex(cookie, /; Path=\/;/)
  t.regex(cookie, /; Secure/)
  t.notRegex(cookie, /domain/i)
  // Signing out deletes the session cookie by the same name and path.
  const session = await createSession()
  const page = await get('/oauth/logout', `__Host-daikon_session=${session}`)
  t.is(page.status, 200)
  const withoutSession = await get('/oauth/logout', '')
  const [deletion = ''] = withoutSession.cookies
  t.true(deletion.startsWith('__Host-daikon_session=; Max-Age=0; Path=/; '), deletion)
  t.true(deletion.includes('Secure'))
})

/** Starts sign-ins of one browser with a state of this length. Returns the cookies that it keeps. */
async function abandonSignIns(length: number, count: number) {
  const jar = new Map<string, string>()
  for (let index = 0; index < count; index += 1) {
    const state = `${index}`.padEnd(length, 'x')
    const { request } = createAuthorizationRequest(client.client_id, { provider: 'google', state })
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const begun = await get(`/oauth/authorize?${new URLSearchParams(request)}`, cookie)
    for (const line of begun.cookies) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (value === '') jar.delete(name)
      else jar.set(name, value)
    }
    const { searchParams } = new URL(String(begun.location))
    jar.set('last', searchParams.get('state') ?? '')
  }
  const last = jar.get('last')
  const kept = [...jar].filter(([name]) => name.startsWith('__Host-login_'))
  return { jar: new Map(kept), last }
}

test('a browser keeps the cookies of its last five sign-ins', async (t) => {
  const { jar, last } = await abandonSignIns(20, 4)
  const [oldest] = jar.keys()
  t.is(jar.size, 4)
  const more = await abandonSignIns(20, 7)
  t.is(more.jar.size, 5)
  t.is([...more.jar.keys()].at(-1), `__Host-login_${more.last}`)
  t.not(oldest, `__Host-login_${last}`)
})

test('abandoned sign-ins with a long state do not exceed the limit of headers', async (t) => {
  for (const [length, kept] of [
    [600, 5],
    [1024, 5],
  ] as const) {
    const { jar, last } = await abandonSignIns(length, 9)
    const size = [...jar].reduce((sum, [name, value]) => sum + name.length + value.length, 0)
    t.true(size < 12_100, `${size} characters`)
    t.true(jar.size >= kept, `${jar.size} cookies`)
    t.true(jar.has(`__Host-login_${last}`))
  }
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
