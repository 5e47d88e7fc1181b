// Threat: PKCE downgrade; host and forwarded headers.
import test from 'ava'
import { type ProviderName, providerNames } from '../../src/identity/providers/provider.ts'
import { expectOk } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import {
  appUri,
  createPkce,
  createSignInEnvironment,
  signInAtProvider,
  signInToApp,
  without,
} from '../support/sign-in.ts'

const unreachable = 'http://127.0.0.1:9'
const environment = await createSignInEnvironment()
const secure = await createSignInEnvironment({ options: { COOKIE_SECURE: true } })
const down = await createSignInEnvironment({
  settings: {
    GOOGLE_ISSUER: unreachable,
    MICROSOFT_ISSUER: `${unreachable}/{tenant}/v2.0`,
    GITHUB_URL: unreachable,
    GITHUB_API_URL: unreachable,
    OIDC_ISSUER: unreachable,
  },
})
const two = await createSignInEnvironment({ settings: { GITHUB_CLIENT_ID: '' } })
test.after.always(() => Promise.all([environment, secure, down, two].map((each) => each.stop())))

const request = (provider: ProviderName = 'github') => ({
  provider,
  redirect_uri: appUri,
  state: 'of the app',
  code_challenge: createPkce().challenge,
  code_challenge_method: 'S256',
})

/** The headers of an error response that neither redirects nor sets a cookie. */
const noRedirect = { location: undefined, 'set-cookie': undefined }

/** Starts a login over plain HTTP and returns its cookies. */
async function begin({ httpPort }: { httpPort: number }, headers: Record<string, string> = {}) {
  const path = `/auth/login/google?${new URLSearchParams(request('google'))}`
  const response = await sendRawHttp(httpPort, {
    path,
    headers: { host: 'localhost:8000', ...headers },
  })
  return { ...response, cookies: (response.headers['set-cookie'] ?? []) as string[] }
}

/** Returns a cookie's attributes, sorted and without Expires, which repeats Max-Age. */
function attributes(cookie: string): string[] {
  const [, ...values] = cookie.split('; ')
  return values.filter((text) => !text.startsWith('Expires=')).toSorted()
}

for (const transport of environment.transports) {
  for (const [field, values] of Object.entries({
    code_challenge: [
      '',
      'a',
      'a'.repeat(42),
      'a'.repeat(44),
      'a'.repeat(128),
      `${'a'.repeat(43)}\n`,
      ...['+', '/', '=', '.', '~', ' ', 'é', '\u0000'].map((sign) => 'a'.repeat(42) + sign),
    ],
    code_challenge_method: ['', 'plain', 's256', 'S256 ', ' S256', 'S512', 'none', 'S256,plain'],
    redirect_uri: [''],
    state: ['a'.repeat(513), 'é'.repeat(513)],
  })) {
    test(`a missing or malformed ${field} returns 422 without a redirect over ${transport.label}`, async (t) => {
      const messages = values.map((value) => ({ ...request(), [field]: value }))
      if (field !== 'state') messages.push(without(transport, request(), field) as never)
      for (const message of messages) {
        const outcome = await transport.call('BeginLogin', message)
        t.like(outcome, { ok: false, code: 'invalid_argument' }, JSON.stringify(message))
        if (outcome.ok) continue
        t.deepEqual(
          outcome.violations.map((problem) => problem.field),
          [field],
        )
        t.like(outcome.headers, noRedirect)
      }
    })
  }

  test(`a state of up to 512 characters is returned unchanged over ${transport.label}`, async (t) => {
    const email = environment.addProviderUser()
    for (const state of ['é'.repeat(512), '"<>&=#%00\\\n\u2028🦊', ' ']) {
      const { redirect } = await signInToApp(transport, 'github', email, { state })
      t.is(redirect.searchParams.get('state'), state)
    }
    const { redirect } = await signInToApp(transport, 'github', email)
    t.is(redirect.searchParams.get('state'), null)
  })

  test(`an unknown provider returns 404 without a redirect over ${transport.label}`, async (t) => {
    for (const provider of ['gitlab', 'Google', 'google ', '../google', '__proto__', 'constructor'])
      for (const method of ['BeginLogin', 'BeginAdminLogin']) {
        const message = method === 'BeginLogin' ? { ...request(), provider } : { provider }
        const outcome = await transport.call(method, message)
        t.like(outcome, { ok: false, code: 'not_found', reason: 'PROVIDER_NOT_FOUND' }, provider)
        t.like(outcome.headers, noRedirect)
      }
  })

  test(`the callback of an unknown provider returns 404 over ${transport.label}`, async (t) => {
    for (const method of ['CompleteLogin', 'CompleteAdminLogin']) {
      const outcome = await transport.call(method, { provider: 'gitlab', state: 'x', code: 'x' })
      t.like(outcome, { ok: false, code: 'not_found', reason: 'PROVIDER_NOT_FOUND' })
    }
  })

  for (const provider of providerNames) {
    const over = `of ${provider} over ${transport.label}`

    test(`access_denied at the provider is returned with the app's state ${over}`, async (t) => {
      const { message } = await signInAtProvider(transport, provider, '', { state: 'x y' })
      const changes = { error_description: 'No\n[18:00:00] INFO: forged\u001b[31m' }
      const { location } = expectOk(
        await transport.call('CompleteLogin', { ...message, ...changes }),
      )
      const { origin, pathname, searchParams } = new URL(location)
      t.is(origin + pathname, 'https://app.example.com/done')
      t.is(searchParams.get('error'), 'access_denied')
      t.is(searchParams.get('state'), 'x y')
      t.is(searchParams.get('from'), 'daikon')
      t.notRegex(
        environment.warnings.join(''),
        /\p{Cc}/u,
        'warnings must not contain control characters',
      )
      t.is(searchParams.get('code'), null)
    })

    test(`an invalid code, iss or error parameter is returned as an error ${over}`, async (t) => {
      for (const changes of [
        { code: 'x' },
        { code: '' },
        { iss: 'https://evil.example' },
        { iss: '' },
        { error: 'server_error' },
        { error: '__proto__' },
        { error: '' },
      ]) {
        const { message } = await signInAtProvider(
          transport,
          provider,
          environment.addProviderUser(),
          {
            state: 's',
          },
        )
        const outcome = await transport.call('CompleteLogin', { ...message, ...changes })
        const { searchParams } = new URL(expectOk(outcome).location)
        t.regex(searchParams.get('error') ?? '', /^(provider_error|invalid_response)$/)
        t.is(searchParams.get('state'), 's')
        t.is(searchParams.get('code'), null)
        t.regex(
          environment.warnings.at(-1) ?? '',
          /^Sign-in failed at the identity provider: \w+: ./,
        )
      }
    })
  }
}

for (const transport of down.transports) {
  test(`an unavailable provider is returned as an error with the app's state over ${transport.label}`, async (t) => {
    for (const provider of ['google', 'microsoft'] as const) {
      const { location, login_state } = expectOk(
        await transport.call('BeginLogin', request(provider)),
      )
      t.is(login_state, undefined)
      t.true(location.startsWith(appUri))
      t.is(new URL(location).searchParams.get('error'), 'provider_unavailable')
      t.is(new URL(location).searchParams.get('state'), 'of the app')
      const admin = expectOk(await transport.call('BeginAdminLogin', { provider }))
      t.regex(admin.location, /^http:\/\/localhost:9004\/login\?error=provider_unavailable&/)
    }
  })

  test(`a provider that fails during a login is returned as an error over ${transport.label}`, async (t) => {
    const [up] = environment.transports
    // A sign-in that began at another OIDC_ISSUER ends as `state_mismatch`.
    for (const provider of providerNames.filter((name) => name !== 'oidc')) {
      const { message } = await signInAtProvider(
        up as never,
        provider,
        environment.addProviderUser(),
      )
      const { iss, ...rest } = message
      const { location } = expectOk(await transport.call('CompleteLogin', rest))
      t.is(new URL(location).searchParams.get('error'), 'provider_unavailable')
    }
  })
}

for (const transport of two.transports) {
  test(`a provider without client ID returns 404 over ${transport.label}`, async (t) => {
    const outcome = await transport.call('BeginLogin', request('github'))
    t.like(outcome, { ok: false, code: 'not_found', reason: 'PROVIDER_NOT_FOUND' })
    const admin = await transport.call('BeginAdminLogin', { provider: 'github' })
    t.like(admin, { ok: false, code: 'not_found' })
    t.true((await transport.call('BeginLogin', request('google'))).ok)
  })
}

test('login returns 302 and one cookie: HttpOnly, SameSite=Lax, Max-Age=600', async (t) => {
  for (const [server, prefix, path] of [
    [environment, '', 'Path=/'],
    [secure, '__Host-', 'Path=/'],
  ] as const) {
    const lax = ['HttpOnly', 'Max-Age=600', path, 'SameSite=Lax']
    const expected = server === secure ? [...lax, 'Secure'] : lax
    const { status, headers, cookies, text } = await begin(server)
    t.is(status, 302)
    t.is(text, '')
    t.is(headers['cache-control'], 'no-store')
    t.is(cookies.length, 1)
    t.deepEqual(attributes(cookies[0] as string), expected)
    const state = new URL(String(headers.location)).searchParams.get('state')
    t.true(cookies[0]?.startsWith(`${prefix}login_${state}=`))
    t.regex(state ?? '', /^[\w-]{43}$/)
  }
})

test('the callback deletes the cookie of its login', async (t) => {
  const [transport] = environment.transports
  const { message } = await signInAtProvider(
    transport as never,
    'github',
    environment.addProviderUser(),
  )
  const { provider, login_state, ...query } = message as Record<string, string>
  const path = `/auth/callback/${provider}?${new URLSearchParams(query)}`
  const headers = { cookie: `other=1; login_${query.state}=${login_state}` }
  const response = await sendRawHttp(environment.httpPort, { path, headers })
  t.is(response.status, 302)
  const [cookie = '', ...others] = response.headers['set-cookie'] ?? []
  // The browser remembers its last method.
  t.deepEqual(
    others.map((other) => other.slice(0, other.indexOf('='))),
    ['daikon_browser'],
  )
  t.true(cookie.startsWith(`login_${query.state}=;`))
  t.deepEqual(attributes(cookie), ['HttpOnly', 'Max-Age=0', 'Path=/', 'SameSite=Lax'])
})

test('the state cookie is encrypted', async (t) => {
  const { cookies } = await begin(environment)
  const [, value = ''] = /^[^=]+=([^;]*)/.exec(cookies[0] ?? '') ?? []
  const parts = value.split('.').map((part) => Buffer.from(part, 'base64url').toString())
  t.is(parts.length, 5)
  t.deepEqual(JSON.parse(parts[0] ?? ''), { alg: 'dir', enc: 'A256GCM' })
  t.false(parts.slice(1).join('').includes('app.example.com'))
})

test('the redirect_uri sent to the provider is based on BASE_URL, not on headers', async (t) => {
  const { headers } = await begin(environment, {
    'x-forwarded-host': 'evil.example',
    'x-forwarded-proto': 'https',
    forwarded: 'host=evil.example;proto=https',
    'x-original-url': '//evil.example',
  })
  const { searchParams } = new URL(String(headers.location))
  t.is(searchParams.get('redirect_uri'), 'http://localhost:8000/auth/callback/google')
})

test.after('no internal errors occurred', (t) => {
  t.deepEqual(
    [environment, secure, down, two].flatMap(({ failures }) => failures),
    [],
  )
})
