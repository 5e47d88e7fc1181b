// Threats: login CSRF, a session that outlives the sign-out of its browser, the wrong user's code.
import test from 'ava'
import { decodeJwt } from 'jose'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  readPage,
  signInWithOAuth,
} from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { followRedirects } from '../../support/providers/browser-flow.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'
import type { Transport } from '../../support/transports.ts'

const environment = await createSignInEnvironment()
const { pool } = environment
const client = await createOAuthClient(environment)
test.after.always(() => environment.stop())

/** Begins a sign-in in a browser that has these cookies. */
async function beginSignIn(
  transport: Transport,
  email: string,
  more: Record<string, unknown>,
  cookies: object = {},
  provider = 'google',
) {
  const { request, verifier } = createAuthorizationRequest(client.client_id, more)
  const begun = expectOk(await transport.call('Authorize', { ...request, provider, ...cookies }))
  const callbackUrl = `${issuer}/auth/callback/${provider}`
  const { callback } = await followRedirects(begun.location, callbackUrl, { hint: email })
  const { login_state, browser } = begun
  const message = { provider, ...Object.fromEntries(callback), login_state, ...cookies }
  return {
    browser: browser as string,
    /** Comes back from the provider. */
    complete: async (latest: object = {}): Promise<Record<string, any>> => {
      const outcome = await transport.call('CompleteLogin', { ...message, ...latest })
      return { ...expectOk(outcome), request, verifier }
    },
  }
}

/** Signs in at the provider in a browser that has these cookies. */
async function signInAgain(...sign: Parameters<typeof beginSignIn>): Promise<Record<string, any>> {
  return (await beginSignIn(...sign)).complete()
}

const parametersOf = (location: string) => Object.fromEntries(new URL(location).searchParams)

/** Returns the confirmations of a page that asks which session goes on: to switch, to stay. */
function readChoices(response: Record<string, any>): string[] {
  return readPage(response).choices.map(({ confirmation }) => String(confirmation))
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const call = transport.call.bind(transport)
  const userOf = async (browser_session: string) => {
    const { rows } = await pool.query(
      `select id, user_id from browser_sessions where secret_hash = encode(sha256($1), 'hex')`,
      [browser_session],
    )
    return rows[0]
  }
  const silentError = async (browser_session: string) => {
    const { request } = createAuthorizationRequest(client.client_id, { prompt: 'none' })
    const { location } = expectOk(await call('Authorize', { ...request, browser_session }))
    return parametersOf(location).error
  }

  for (const choice of ['switch', 'stay']) {
    test(`another person's session is replaced after a page alone: ${choice} ${over}`, async (t) => {
      const bob = await signInWithOAuth(environment, transport, { client })
      const email = environment.addProviderUser()
      const cookies = { browser_session: bob.browser_session }
      const second = await signInAgain(transport, email, { prompt: 'login' }, cookies)
      t.is(second.browser_session, undefined)
      const { pending_session, location } = second
      const resumed = { ...parametersOf(location), ...cookies, pending_session }
      const asking = expectOk(await call('Authorize', resumed))
      const { text } = readPage(asking)
      t.true(text.includes(bob.email) && text.includes(email))
      t.is(await silentError(bob.browser_session), undefined, 'nothing has changed')
      const [switching, staying] = readChoices(asking)
      for (const forged of ['x', createdElsewhere(switching)])
        t.falsy(
          expectOk(await call('Authorize', { ...resumed, confirmation: forged, is_form: true }))
            .location,
        )

      const confirmation = choice === 'switch' ? switching : staying
      const linked = expectOk(await call('Authorize', { ...resumed, confirmation }))
      t.falsy(linked.location, 'a link chooses nothing')
      const chosen = expectOk(await call('Authorize', { ...resumed, confirmation, is_form: true }))
      t.is(chosen.pending_session, '')
      const me = await call('GetMe', {}, { token: bob.tokens.access_token })
      if (choice === 'stay') {
        t.is(parametersOf(chosen.location).error, 'access_denied')
        t.true(me.ok)
        t.is(await silentError(bob.browser_session), undefined)
        t.is(await silentError(pending_session), 'login_required')
        return
      }
      t.is(expectError(me).reason, 'TOKEN_REVOKED')
      t.is(await silentError(bob.browser_session), 'login_required')
      const { browser_session } = chosen
      t.is(browser_session, pending_session)
      const done = { ...parametersOf(chosen.location), browser_session }
      t.truthy(parametersOf(expectOk(await call('Authorize', done)).location).code)
      const again = { ...resumed, browser_session, confirmation, is_form: true }
      t.truthy(expectOk(await call('Authorize', again)).location, 'the page is not shown again')
    })
  }

  test(`a new sign-in of the same person renews the session of the browser ${over}`, async (t) => {
    const first = await signInWithOAuth(environment, transport, { client })
    const cookies = { browser_session: first.browser_session }
    const { id } = await userOf(first.browser_session)
    const second = await signInAgain(transport, first.email, { prompt: 'login' }, cookies)
    t.is((await userOf(second.browser_session)).id, id)
    t.is(await userOf(first.browser_session), undefined, 'the old cookie has ended')
    const exchange = {
      ...{ grant_type: 'authorization_code', code: parametersOf(second.location).code },
      ...{ redirect_uri: second.request.redirect_uri, code_verifier: second.verifier, ...client },
    }
    const tokens = expectOk(await call('IssueToken', exchange))
    const { browser_session } = second
    const request = { id_token_hint: tokens.id_token, browser_session }
    expectOk(await call('EndBrowserSession', request))
    for (const { access_token } of [first.tokens, tokens]) {
      const me = await call('GetMe', {}, { token: access_token })
      t.is(expectError(me).reason, 'TOKEN_REVOKED', 'the sign-out ends every app')
    }
  })

  /** Two tabs of one browser begin to sign in, and come back from the provider at the same time. */
  const signInTwice = async (emails: [string, string], cookies: object = {}) => {
    const first = await beginSignIn(transport, emails[0], { prompt: 'login' }, cookies)
    const { browser } = first
    const more = { ...cookies, browser }
    const second = await beginSignIn(transport, emails[1], { prompt: 'login' }, more)
    const latest = { browser: second.browser }
    return {
      browser,
      callbacks: await Promise.all([first, second].map((tab) => tab.complete(latest))),
    }
  }
  const exchangeCode = async ({ location, request, verifier }: Record<string, any>) => {
    const exchange = {
      ...{ grant_type: 'authorization_code', code: parametersOf(location).code },
      ...{ redirect_uri: request.redirect_uri, code_verifier: verifier, ...client },
    }
    return expectOk(await call('IssueToken', exchange))
  }
  const countSessions = async (email: string) => {
    const { rows } = await pool.query(
      `select count(*)::int as sessions from browser_sessions s join users u on u.id = s.user_id
       where u.email = $1`,
      [email],
    )
    return rows[0].sessions
  }

  for (const isSignedIn of [false, true]) {
    const before = isSignedIn ? 'with a session' : 'without a session'
    test(`parallel sign-ins of a person in a browser ${before} have one session ${over}`, async (t) => {
      const { email, browser_session } = await signInWithOAuth(environment, transport, { client })
      const { browser, callbacks } = await signInTwice(
        [email, email],
        isSignedIn ? { browser_session } : {},
      )
      // Without the cookie, the first session belongs to another browser.
      t.is(await countSessions(email), isSignedIn ? 1 : 2)
      const [first, second] = await Promise.all(callbacks.map(exchangeCode))
      // The cookie that arrives last may be the one that has been replaced.
      const cookies = await Promise.all(
        callbacks.map(({ browser_session }) => userOf(browser_session)),
      )
      const replaced = callbacks[cookies.indexOf(undefined)]
      const signedOut = { browser_session: replaced?.browser_session, browser }
      t.is(expectOk(await call('EndBrowserSession', signedOut)).browser_session, '')
      for (const tokens of [first, second]) {
        const me = await call('GetMe', {}, { token: tokens?.access_token })
        t.is(expectError(me).reason, 'TOKEN_REVOKED')
      }
      t.is(await countSessions(email), isSignedIn ? 0 : 1)
    })
  }

  test(`a sign-out ends parallel sign-ins of two people in a browser ${over}`, async (t) => {
    const emails: [string, string] = [environment.addProviderUser(), environment.addProviderUser()]
    const { browser, callbacks } = await signInTwice(emails)
    const [first, second] = await Promise.all(callbacks.map(exchangeCode))
    const { browser_session } = callbacks[1] as Record<string, string>
    const request = { browser_session, browser, id_token_hint: second?.id_token }
    expectOk(await call('EndBrowserSession', request))
    for (const tokens of [first, second]) {
      const me = await call('GetMe', {}, { token: tokens?.access_token })
      t.is(expectError(me).reason, 'TOKEN_REVOKED')
    }
  })

  test(`a sign-out ends no session of another browser ${over}`, async (t) => {
    const { email, tokens } = await signInWithOAuth(environment, transport, { client })
    const { browser, callbacks } = await signInTwice([email, email])
    const [first] = await Promise.all(callbacks.map(exchangeCode))
    expectOk(await call('EndBrowserSession', { browser, id_token_hint: first?.id_token }))
    expectOk(await call('GetMe', {}, { token: tokens.access_token }))
    t.is(await countSessions(email), 1)
  })

  test(`a sign-out ends the sign-in that has not replaced the session yet ${over}`, async (t) => {
    const bob = await signInWithOAuth(environment, transport, { client })
    const { browser_session } = bob
    const email = environment.addProviderUser()
    const second = await signInAgain(transport, email, { prompt: 'login' }, { browser_session })
    const cookies = { browser_session, pending_session: second.pending_session }
    const asking = expectOk(await call('EndBrowserSession', cookies))
    t.is(asking.pending_session, undefined)
    t.is(await silentError(second.pending_session), undefined, 'before the confirmation')
    const request = { ...cookies, id_token_hint: bob.tokens.id_token }
    t.is(expectOk(await call('EndBrowserSession', request)).pending_session, '')
    t.is(await silentError(second.pending_session), 'login_required')
  })

  test(`an id_token_hint binds the answer ${over}`, async (t) => {
    const bob = await signInWithOAuth(environment, transport, { client })
    const carol = environment.addProviderUser()
    const hint = { id_token_hint: bob.tokens.id_token }
    const other = await signInAgain(transport, carol, hint)
    t.is(parametersOf(other.location).error, 'login_required')
    t.is(other.browser_session, undefined)
    for (const sql of [
      'select from users where email = $1',
      'select from linked_accounts where email = $1',
    ])
      t.is((await pool.query(sql, [carol])).rowCount, 0, 'nothing remains of a refused sign-in')
    const same = await signInAgain(transport, bob.email, hint)
    t.truthy(parametersOf(same.location).code)
    const { browser_session } = bob
    for (const [prompt, error] of [
      ['none', 'login_required'],
      [undefined, 'invalid_request'],
    ] as const) {
      const more = { id_token_hint: `${bob.tokens.id_token}x`, ...(prompt && { prompt }) }
      const { request } = createAuthorizationRequest(client.client_id, more)
      const { location } = expectOk(await call('Authorize', { ...request, browser_session }))
      t.is(parametersOf(location).error, error)
    }
  })

  test(`the time of the callback meets a max_age of an hour or more ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const signInByGithub = (max_age: string) =>
      signInAgain(transport, email, { max_age }, {}, 'github')
    const recent = parametersOf((await signInByGithub('3599')).location)
    t.is(recent.error, 'unmet_authentication_requirements')
    const { location, browser_session } = await signInByGithub('3600')
    t.truthy(parametersOf(location).code)
    for (const [max_age, error] of [
      ['3599', 'login_required'],
      ['3600', undefined],
    ] as const) {
      const more = { max_age, prompt: 'none' }
      const { request } = createAuthorizationRequest(client.client_id, more)
      const silent = expectOk(await call('Authorize', { ...request, browser_session }))
      t.is(parametersOf(silent.location).error, error)
    }
  })
}

const createdElsewhere = (confirmation = '') => [...confirmation].reverse().join('')

/** A browser without scripts, which reaches the server at its address. */
function createBrowser() {
  const address = `http://127.0.0.1:${environment.httpPort}`
  const cookies = new Map<string, string>()
  return {
    cookies,
    async open(url: string, body?: URLSearchParams) {
      const { pathname, search } = new URL(url)
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
      const method = body ? 'POST' : 'GET'
      const headers = { cookie, 'sec-fetch-site': 'same-origin' }
      const options = { method, headers, body: body ?? null, redirect: 'manual' } as const
      const response = await fetch(address + pathname + search, options)
      for (const line of response.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
        if (value === '') cookies.delete(name)
        else cookies.set(name, value)
      }
      return { html: await response.text(), location: response.headers.get('location') ?? '' }
    },
  }
}

for (const choice of ['Switch to', 'Stay signed in as'])
  test(`an invitation replaces another person's session after a page alone: ${choice}`, async (t) => {
    const [, rest] = environment.transports as [Transport, Transport]
    const { seed } = environment
    const workspace_id = await seed.workspace('Northwind')
    const token = await environment.token(await seed.newMember(workspace_id, 'owner'), workspace_id)
    const email = environment.addProviderUser()
    const invite = { workspace_id, email, role: 'viewer' }
    const { invitation_url } = expectOk(await rest.call('InviteMember', invite, { token }))
    const bob = await signInWithOAuth(environment, rest, { client })
    const { cookies, open } = createBrowser()
    cookies.set('daikon_session', bob.browser_session)

    const begun = await open(`${invitation_url}?provider=google`)
    const callbackUrl = `${issuer}/auth/callback/google`
    const { callback } = await followRedirects(begun.location, callbackUrl, { hint: email })
    const { location } = await open(`${callbackUrl}?${callback}`)
    t.is(cookies.get('daikon_session'), bob.browser_session)
    const pending = cookies.get('daikon_pending')
    t.truthy(pending)
    const { html } = await open(location)
    t.true(html.includes(bob.email) && html.includes(email))
    const forged = new URLSearchParams(new URL(location).search)
    forged.set('confirmation', 'x')
    t.true((await open(invitation_url, forged)).html.includes('Switch user?'))

    const action = /<form method="post" action="([^"]*)"/.exec(html)?.[1] ?? ''
    const hidden = /<input type="hidden" name="([^"]*)" value="([^"]*)">/g
    const form = new URLSearchParams()
    for (const [, name = '', value = ''] of html.matchAll(hidden)) form.append(name, value)
    const button = new RegExp(`name="confirmation" value="([^"]*)">${choice} `).exec(html)
    form.append('confirmation', button?.[1] ?? '')
    const chosen = await open(action, form)
    t.is(chosen.location, invitation_url)
    t.false(cookies.has('daikon_pending'))
    const page = await open(chosen.location)
    const me = await rest.call('GetMe', {}, { token: bob.tokens.access_token })
    if (choice === 'Switch to') {
      t.is(cookies.get('daikon_session'), pending)
      t.true(page.html.includes('<h1>You are invited</h1>'))
      t.is(expectError(me).reason, 'TOKEN_REVOKED')
    } else {
      t.is(cookies.get('daikon_session'), bob.browser_session)
      t.true(page.html.includes(`This browser is signed in as <strong>${bob.email}</strong>`))
      t.true(me.ok)
      cookies.set('daikon_session', pending ?? '')
      t.false(
        (await open(invitation_url)).html.includes('<h1>You are invited</h1>'),
        'it has ended',
      )
    }
  })

test('a form of another site is repeated as a GET request, which has the cookies', async (t) => {
  const [, rest] = environment.transports as [Transport, Transport]
  const { browser_session, tokens } = await signInWithOAuth(environment, rest, { client })
  const address = `http://127.0.0.1:${environment.httpPort}`
  const post = (path: string, body: object, headers: Record<string, string>) =>
    fetch(address + path, {
      ...{ method: 'POST', body: new URLSearchParams({ ...body }), redirect: 'manual', headers },
    })
  const { request } = createAuthorizationRequest(client.client_id)
  const crossSite: Record<string, string>[] = [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://other.example.com' },
    { origin: 'null' },
  ]
  for (const headers of crossSite) {
    for (const [path, body] of [
      ['/oauth/authorize', request],
      ['/oauth/logout', { id_token_hint: tokens.id_token as string }],
    ] as const) {
      const response = await post(path, body, headers)
      t.is(response.status, 303, path)
      t.deepEqual(response.headers.getSetCookie(), [])
      const target = new URL(response.headers.get('location') ?? '', address + path)
      t.is(target.origin + target.pathname, address + path)
      t.deepEqual(Object.fromEntries(target.searchParams), { ...body })
    }
  }
  const cookie = `daikon_session=${browser_session}`
  const repeated = await post('/oauth/logout', {}, crossSite[0] ?? {})
  const location = new URL(repeated.headers.get('location') ?? '', `${address}/oauth/logout`)
  const page = await fetch(location, { headers: { cookie } })
  t.regex(await page.text(), /Sign out\?/)
  const own = await post('/oauth/authorize', request, { 'sec-fetch-site': 'same-origin', cookie })
  t.is(own.status, 302)
  const long = { ...request, id_token_hint: 'x'.repeat(9000) }
  const refused = await post('/oauth/authorize', long, crossSite[0] ?? {})
  t.is(refused.status, 400)
  t.truthy(decodeJwt(tokens.id_token as string).auth_time)
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
