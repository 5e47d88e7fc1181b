// Threat: redirect_uri looseness, PKCE downgrade, on the standard authorization endpoint.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { signInErrors } from '../../../src/identity/sign-in-result.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  oauthUri,
  readPage,
  signInAtAuthorize,
  signInWithOAuth,
} from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'
import type { Transport } from '../../support/transports.ts'

const environment = await createSignInEnvironment()
const { pool, seed } = environment
const client = await createOAuthClient(environment)
test.after.always(() => environment.stop())

/** The parameters of the redirect to the client app. */
function readRedirect(location: string): Record<string, string> {
  const url = new URL(location)
  if (!location.startsWith('https://rp.example.com/callback?from=daikon'))
    throw new Error(`redirected to ${location}`)
  const { from: _, ...parameters } = Object.fromEntries(url.searchParams)
  return parameters
}

/** A user with a browser session and a second workspace in addition to the personal one. */
async function createUserWithTwoWorkspaces(transport: Transport) {
  const signedIn = await signInWithOAuth(environment, transport, { client })
  const user = await pool.query('select id from users where email = $1', [signedIn.email])
  const workspace = await seed.workspace('Second')
  await seed.member(workspace, user.rows[0].id, 'editor')
  return { ...signedIn, workspace, first: signedIn.tokens.workspace_id as string }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const authorize = (request: object) => transport.call('Authorize', request)
  /** The parameters that the client app receives. */
  const redirectOf = async (request: object) =>
    readRedirect(expectOk(await authorize(request)).location)

  test.serial(`a code, the state and iss are returned to the client ${over}`, async (t) => {
    const { redirect, tokens } = await signInWithOAuth(environment, transport, { client })
    const { code, ...parameters } = readRedirect(redirect.href)
    t.regex(code ?? '', /^[\w-]{43}$/)
    t.deepEqual(parameters, { state: 'state of the client', iss: issuer })
    t.is(tokens.token_type, 'Bearer')
  })

  test.serial(`a wrong client or redirect URI never redirects ${over}`, async (t) => {
    const { request } = createAuthorizationRequest(client.client_id)
    const variants = [
      oauthUri.toUpperCase(),
      `${oauthUri}/`,
      `${oauthUri}&x=1`,
      `${oauthUri}#x`,
      oauthUri.replace('https', 'http'),
      oauthUri.replace('rp.', 'u@rp.'),
      oauthUri.replace('.com', '.com:8443'),
      oauthUri.replace('.com', '.com.evil.example'),
      oauthUri.replace('callback', 'x/../callback'),
      oauthUri.replace('callback', 'c%61llback'),
      'https://rp.example.com/callback',
      'javascript:alert(1)',
      '',
    ]
    for (const redirect_uri of variants) {
      const error = expectError(await authorize({ ...request, redirect_uri }))
      t.is(error.code, 'failed_precondition', redirect_uri)
      t.is(error.headers.location, undefined)
    }
    const inactive = await createOAuthClient(environment, { is_active: false })
    for (const client_id of [inactive.client_id, randomUUID(), 'x', '', undefined]) {
      const error = expectError(await authorize({ ...request, client_id }))
      t.is(error.code, 'failed_precondition')
      t.is(error.headers.location, undefined)
    }
    const other = await createOAuthClient(environment, {}, ['https://other.example.com/'])
    t.is(expectError(await authorize({ ...request, ...other })).code, 'failed_precondition')
  })

  test.serial(
    `an app that is deactivated during the sign-in receives no code ${over}`,
    async (t) => {
      const own = await createOAuthClient(environment)
      const { request } = createAuthorizationRequest(own.client_id)
      const error = await t.throwsAsync(
        (async () => {
          const deactivating = {
            ...transport,
            call: async (...call: Parameters<Transport['call']>) => {
              if (call[0] === 'CompleteLogin')
                await pool.query('update client_apps set is_active = false where id = $1', [
                  own.client_id,
                ])
              return transport.call(...call)
            },
          }
          return signInAtAuthorize(deactivating, environment.addProviderUser(), request)
        })(),
      )
      t.regex(error.message, /CLIENT_REFUSED|INVALID_REQUEST|inactive/)
    },
  )

  test.serial(
    `invalid parameters are returned as errors of RFC 6749, section 4.1.2.1 ${over}`,
    async (t) => {
      const { request } = createAuthorizationRequest(client.client_id)
      const cases: [object, string][] = [
        [{ response_type: undefined }, 'invalid_request'],
        [{ response_type: 'token' }, 'unsupported_response_type'],
        [{ response_type: 'code id_token' }, 'unsupported_response_type'],
        [{ response_mode: 'fragment' }, 'invalid_request'],
        [{ code_challenge: undefined }, 'invalid_request'],
        [{ code_challenge: 'short' }, 'invalid_request'],
        [{ code_challenge: '!'.repeat(43) }, 'invalid_request'],
        [{ code_challenge_method: undefined }, 'invalid_request'],
        [{ code_challenge_method: 'plain' }, 'invalid_request'],
        [{ code_challenge_method: 's256' }, 'invalid_request'],
        [{ prompt: 'none login' }, 'invalid_request'],
        [{ prompt: 'create' }, 'invalid_request'],
        [{ max_age: '-1' }, 'invalid_request'],
        [{ max_age: 'x' }, 'invalid_request'],
        [{ nonce: 'n'.repeat(513) }, 'invalid_request'],
        [{ state: 's'.repeat(1025) }, 'invalid_request'],
        [{ request: 'e30.e30.' }, 'request_not_supported'],
        [{ request_uri: 'https://rp.example.com/r' }, 'request_uri_not_supported'],
        [{ registration: '{}' }, 'registration_not_supported'],
        [{ prompt: 'none' }, 'login_required'],
      ]
      for (const [change, expected] of cases) {
        const changed = { ...request, ...change }
        const { error, error_description, iss, state } = await redirectOf(changed)
        t.is(error, expected, JSON.stringify(change))
        t.regex(error_description ?? '', /\w/)
        t.is(iss, issuer)
        t.is(state, changed.state as string)
      }
    },
  )

  test.serial(`the browser session signs in silently until it ends ${over}`, async (t) => {
    const { browser_session, tokens } = await signInWithOAuth(environment, transport, { client })
    const { request } = createAuthorizationRequest(client.client_id, { prompt: 'none' })
    const silent = async () => redirectOf({ ...request, browser_session })
    t.regex((await silent()).code ?? '', /^[\w-]{43}$/)
    t.is((await redirectOf({ ...request, browser_session: 'x' })).error, 'login_required')
    const hinted = { ...request, browser_session, id_token_hint: tokens.id_token }
    t.truthy((await redirectOf(hinted)).code)
    const other = await signInWithOAuth(environment, transport, { client })
    const invalid = { ...hinted, id_token_hint: other.tokens.id_token }
    t.is((await redirectOf(invalid)).error, 'login_required')
    expectOk(await transport.call('Logout', {}, { token: tokens.access_token }))
    t.is((await silent()).error, 'login_required')
  })

  test.serial(`prompt and max_age require a new sign-in ${over}`, async (t) => {
    const { browser_session } = await signInWithOAuth(environment, transport, { client })
    const { request } = createAuthorizationRequest(client.client_id)
    const next = async (more: object) => {
      const started = { ...request, browser_session, provider: 'google', ...more }
      return new URL(expectOk(await authorize(started)).location)
    }
    t.is((await next({})).host, 'rp.example.com')
    t.is((await next({ max_age: '3600' })).host, 'rp.example.com')
    const login = await next({ prompt: 'login', login_hint: 'a@b.example', acr_values: 'mfa' })
    t.is(login.searchParams.get('prompt'), 'select_account')
    t.is(login.searchParams.get('login_hint'), 'a@b.example')
    t.is(login.searchParams.get('acr_values'), 'mfa')
    const selected = await next({ prompt: 'select_account', provider: 'github' })
    t.is(selected.searchParams.get('prompt'), 'select_account')
    await pool.query(
      `update browser_sessions set authenticated_at = authenticated_at - interval '2 hours'
       where secret_hash = encode(sha256($1), 'hex')`,
      [browser_session],
    )
    t.is((await next({ max_age: '3600' })).searchParams.get('max_age'), '3600')
    const silent = { ...request, browser_session, prompt: 'none', max_age: '3600' }
    t.is((await redirectOf(silent)).error, 'login_required')
    t.is((await next({ prompt: 'login', max_age: '0' })).searchParams.get('max_age'), '0')
  })

  test.serial(`a user of several workspaces chooses one ${over}`, async (t) => {
    const user = await createUserWithTwoWorkspaces(transport)
    const { request } = createAuthorizationRequest(client.client_id)
    const { browser_session } = user
    const response = expectOk(await authorize({ ...request, browser_session }))
    const text = transport.name === 'rest' ? response.html : JSON.stringify(response.page)
    t.true(text.includes('Second') && text.includes('Relying Party'))
    t.is(readPage(response).account_url, `${issuer}/account`)
    for (const workspace of [user.workspace, `w-${user.workspace}`]) {
      t.truthy((await redirectOf({ ...request, browser_session, workspace })).code)
    }
    const foreign = await seed.workspace()
    for (const workspace of [foreign, `w-${foreign}`, 'x'])
      t.is((await redirectOf({ ...request, browser_session, workspace })).error, 'access_denied')
    // A silent request keeps the workspace that the app used last.
    const silent = { ...request, browser_session, prompt: 'none' }
    t.truthy((await redirectOf(silent)).code)
    const other = await createOAuthClient(environment)
    t.is((await redirectOf({ ...silent, ...other })).error, 'interaction_required')
  })

  test.serial(
    `the callback redirects to the authorization page when the user must choose a workspace ${over}`,
    async (t) => {
      const { email } = await createUserWithTwoWorkspaces(transport)
      const { request } = createAuthorizationRequest(client.client_id, { prompt: 'login' })
      const { location, browser_session } = await signInAtAuthorize(transport, email, request)
      const url = new URL(location)
      t.is(url.origin + url.pathname, `${issuer}/oauth/authorize`)
      t.is(url.searchParams.get('resumed'), 'true')
      const response = expectOk(
        await authorize({ ...Object.fromEntries(url.searchParams), browser_session }),
      )
      t.regex(response.html ?? response.page?.kind, /Choose a workspace|choose_workspace/)
    },
  )

  test.serial(`a rejected sign-in returns access_denied ${over}`, async (t) => {
    const { request } = createAuthorizationRequest(client.client_id)
    const unverified = environment.addProviderUser({ verified: false })
    const refused = await signInAtAuthorize(transport, unverified, request)
    t.like(readRedirect(refused.location), {
      error: 'access_denied',
      error_description: signInErrors.email_not_verified,
      state: request.state as string,
      iss: issuer,
    })
    t.falsy(refused.browser_session)
    const { email, browser_session } = await signInWithOAuth(environment, transport, { client })
    await pool.query('update users set is_active = false where email = $1', [email])
    t.is(
      (await redirectOf({ ...request, browser_session, prompt: 'none' })).error,
      'login_required',
    )
    const inactive = await signInAtAuthorize(transport, email, request)
    t.is(readRedirect(inactive.location).error, 'access_denied')
  })

  test.serial(`users without a workspace get access_denied ${over}`, async (t) => {
    const { browser_session, email } = await signInWithOAuth(environment, transport, { client })
    await pool.query(
      'delete from members where user_id = (select id from users where email = $1)',
      [email],
    )
    const { request } = createAuthorizationRequest(client.client_id)
    t.is((await redirectOf({ ...request, browser_session })).error, 'access_denied')
  })
}

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(`http://127.0.0.1:${environment.httpPort}${path}`, {
    headers: { accept: 'text/html,application/xhtml+xml', ...headers },
    redirect: 'manual',
  })

test('a repeated parameter is an error on the redirect', async (t) => {
  const { request } = createAuthorizationRequest(client.client_id)
  for (const name of [
    'response_type',
    'state',
    'nonce',
    'code_challenge',
    'workspace',
    'request',
  ]) {
    const parameters = new URLSearchParams(request)
    // Even an equal value.
    parameters.append(name, parameters.get(name) ?? 'x')
    if (parameters.getAll(name).length === 1) parameters.append(name, 'y')
    const url = `http://127.0.0.1:${environment.httpPort}/oauth/authorize`
    for (const response of [
      await get(`/oauth/authorize?${parameters}`),
      await fetch(url, { method: 'POST', body: parameters, redirect: 'manual' }),
    ]) {
      t.is(response.status, 302, name)
      const { state, ...error } = readRedirect(response.headers.get('location') ?? '')
      const error_description = `${name} must not be repeated`
      t.deepEqual(error, { error: 'invalid_request', error_description, iss: issuer })
      t.is(state, name === 'state' ? undefined : request.state)
    }
  }
  // Unknown parameters are ignored, and may be repeated.
  const unknown = await get(`/oauth/authorize?${new URLSearchParams(request)}&unknown=a&unknown=b`)
  t.is(unknown.status, 200)
})

test('a repeated client_id or redirect_uri is rejected without a redirect', async (t) => {
  const { request } = createAuthorizationRequest(client.client_id)
  for (const [name, value] of [
    ['redirect_uri', 'https://evil.example'],
    ['redirect_uri', oauthUri],
    ['client_id', client.client_id],
  ] as const) {
    const parameters = new URLSearchParams(request)
    parameters.append(name, value)
    const response = await get(`/oauth/authorize?${parameters}`)
    t.is(response.status, 400)
    t.is(response.headers.get('location'), null)
  }
})

test('the provider selection page is one HTML document without scripts', async (t) => {
  const named = await createOAuthClient(environment, { name: '<b>Evil & "App"' })
  const { request } = createAuthorizationRequest(named.client_id)
  const response = await get(`/oauth/authorize?${new URLSearchParams(request)}`)
  t.is(response.status, 200)
  const policy = response.headers.get('content-security-policy') ?? ''
  t.regex(
    policy,
    /^default-src 'none'; style-src 'sha256-[\w+/=]+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  )
  t.is(response.headers.get('cache-control'), 'no-store')
  const html = await response.text()
  t.true(html.includes('&#60;b&#62;Evil &#38; &#34;App&#34;'))
  t.notRegex(html, /<script|<b>|style=|<form/)
  for (const name of ['Google', 'Microsoft', 'GitHub']) t.true(html.includes(`with ${name}`))
  const link = /href="([^"]*provider=google[^"]*)"/.exec(html)?.[1] ?? ''
  const url = new URL(link.replaceAll('&#38;', '&'))
  t.is((await get(url.pathname + url.search)).status, 302)
})

test('errors are pages for browsers and JSON for other clients', async (t) => {
  const page = await get('/oauth/authorize?client_id=x')
  t.is(page.status, 400)
  const html = await page.text()
  t.regex(html, /CLIENT_REFUSED/)
  t.regex(html, /<title>This sign-in cannot continue<\/title>/)
  const json = await get('/oauth/authorize?client_id=x', { accept: '*/*' })
  t.is(json.status, 400)
  t.is(((await json.json()) as { error: string }).error, 'invalid_request')
  const callback = await get('/auth/callback/google?state=x&code=y')
  t.is(callback.status, 400)
  t.regex(await callback.text(), /STATE_REFUSED/)
})

test('an authorization request can be sent as a form', async (t) => {
  const { request } = createAuthorizationRequest(client.client_id)
  const response = await fetch(`http://127.0.0.1:${environment.httpPort}/oauth/authorize`, {
    method: 'POST',
    body: new URLSearchParams({ ...request, provider: 'google' }),
    redirect: 'manual',
  })
  t.is(response.status, 302)
  t.regex(response.headers.get('location') ?? '', /\/google\//)
})

test('the session cookie is HttpOnly and SameSite=Lax, and lasts as long as a session', async (t) => {
  const { request } = createAuthorizationRequest(client.client_id)
  const [, rest] = environment.transports as [Transport, Transport]
  let cookies: string[] = []
  const recording = {
    ...rest,
    call: async (...call: Parameters<Transport['call']>) => {
      const outcome = await rest.call(...call)
      if (call[0] === 'CompleteLogin') cookies = [outcome.headers['set-cookie'] ?? '']
      return outcome
    },
  }
  await signInAtAuthorize(recording, environment.addProviderUser(), request)
  const cookie = /daikon_session=.*?SameSite=\w+/.exec(cookies.join())?.[0] ?? ''
  for (const attribute of ['Max-Age=604800', 'Path=/;', 'HttpOnly', 'SameSite=Lax'])
    t.true(cookie.includes(attribute), cookie)
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
