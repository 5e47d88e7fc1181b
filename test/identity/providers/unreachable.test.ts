import type { ServerResponse } from 'node:http'
import test from 'ava'
import {
  expectProviderError,
  expectSuccess,
} from '../../support/providers/expect-provider-error.ts'
import { signIn, startMockAuthority } from '../../support/providers/mock-authority.ts'
import { redirectUri } from '../../support/providers/mock-provider.ts'
import {
  jsonResponse,
  type StubResponse,
  startStubServer,
} from '../../support/providers/stub-server.ts'
import { createTestProvider } from '../../support/providers/test-provider.ts'

const discovery = '/.well-known/openid-configuration'
const exchange = '/login/oauth/access_token'
const hang = () => {}

/** Starts a response without ever ending it. */
const endlessResponse: StubResponse = (_, response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"access_token":')
}

for (const [what, canned] of Object.entries({
  hangs: hang,
  'never ends its response': endlessResponse,
})) {
  test(`a provider that ${what} times out`, async (t) => {
    const { url } = await startStubServer(t, { [exchange]: canned, [discovery]: canned })
    const github = createTestProvider('github', { GITHUB_URL: url, GITHUB_API_URL: url }, 200)
    const { secrets } = expectSuccess(await github.begin(redirectUri))
    const callback = new URLSearchParams({ code: 'c', state: secrets.state })
    const start = performance.now()
    const sign = github.complete(callback, redirectUri, secrets)
    await expectProviderError(t, sign, 'provider_unavailable', /access_token: /)
    const google = createTestProvider('google', { GOOGLE_ISSUER: url }, 200)
    await expectProviderError(
      t,
      google.begin(redirectUri),
      'provider_unavailable',
      /openid-configuration: /,
    )
    t.true(performance.now() - start < 20_000, 'less than the default timeout')
  })
}

test('the requests of one step share one deadline', async (t) => {
  const late =
    (value: unknown): StubResponse =>
    (_, response) => {
      response.setHeader('content-type', 'application/json')
      setTimeout(() => response.end(JSON.stringify(value)), 150)
    }
  const token = { access_token: 'x', token_type: 'bearer', scope: 'user:email' }
  const routes = { [exchange]: late(token), '/user': late({ id: 1 }), '/user/emails': late([]) }
  const { url } = await startStubServer(t, routes)
  const github = createTestProvider('github', { GITHUB_URL: url, GITHUB_API_URL: url }, 250)
  const { secrets } = expectSuccess(await github.begin(redirectUri))
  const callback = new URLSearchParams({ code: 'c', state: secrets.state })
  await expectProviderError(
    t,
    github.complete(callback, redirectUri, secrets),
    'provider_unavailable',
  )
})

test('a closed port is reported as provider_unavailable', async (t) => {
  const github = createTestProvider('github', { GITHUB_URL: 'http://127.0.0.1:2' })
  const { secrets } = expectSuccess(await github.begin(redirectUri))
  const callback = new URLSearchParams({ code: 'c', state: secrets.state })
  const sign = github.complete(callback, redirectUri, secrets)
  await expectProviderError(t, sign, 'provider_unavailable', /ECONNREFUSED/)
})

const garbage: Record<string, StubResponse> = {
  'an empty response': { body: '' },
  'an HTML page': { type: 'text/html', body: '<html>Sign in</html>' },
  'truncated JSON': { body: '{"access_token":"x"' },
  'binary data': { body: '\uffff\0\u0001' },
  'JSON null': { body: 'null' },
  'a JSON array': { body: '[]' },
  'a JSON string': { body: '"gho_x"' },
  'deeply nested JSON': { body: '['.repeat(200_000) },
  'an oversized response': { body: `{"access_token":"${'x'.repeat(2 << 20)}"}` },
  'a redirect': { status: 302, headers: { location: '/elsewhere' } },
  'a redirect with status 307': { status: 307, headers: { location: '/elsewhere' } },
  'no content': { status: 204 },
}
for (const [what, canned] of Object.entries(garbage)) {
  test(`${what} is reported as invalid_response at every endpoint`, async (t) => {
    const reason = what === 'an oversized response' ? /larger than 1048576 bytes/ : /./
    const token = jsonResponse({ access_token: 'x', token_type: 'bearer', scope: 'user:email' })
    for (const path of [exchange, '/user', '/user/emails'] as const) {
      const validResponses = {
        [exchange]: token,
        '/user': jsonResponse({ id: 1 }),
        '/user/emails': jsonResponse([]),
      }
      const { url, requests } = await startStubServer(t, { ...validResponses, [path]: canned })
      const github = createTestProvider('github', { GITHUB_URL: url, GITHUB_API_URL: url })
      const { secrets } = expectSuccess(await github.begin(redirectUri))
      const callback = new URLSearchParams({ code: 'c', state: secrets.state })
      const sign = github.complete(callback, redirectUri, secrets)
      // /user/emails must return an array, and the API must return status 200.
      if (what === 'a JSON array' && path === '/user/emails') expectSuccess(await sign)
      else if (what === 'no content' && path !== exchange)
        await expectProviderError(t, sign, 'provider_error')
      else await expectProviderError(t, sign, 'invalid_response', reason)
      t.false(requests.some((request) => request.path === '/elsewhere'))
    }
    const { url } = await startStubServer(t, { [discovery]: canned })
    const google = createTestProvider('google', { GOOGLE_ISSUER: url })
    const code = what === 'no content' ? 'provider_error' : 'invalid_response'
    await expectProviderError(t, google.begin(redirectUri), code, reason)
  })
}

for (const [what, respond, reason] of [
  [
    'a response in too many chunks',
    (response: ServerResponse) => {
      const sendMany = () => {
        for (let sent = 0; sent < 500; sent += 1) response.write('x')
        if (!response.destroyed) setImmediate(sendMany)
      }
      sendMany()
    },
    /more than 4096 chunks/,
  ],
  [
    'a flood of informational responses',
    (response: ServerResponse) => {
      for (let sent = 0; sent < 30; sent += 1)
        response.writeEarlyHints({ link: '</a>; rel=preload' })
      response.end('{}')
    },
    /more than 20 informational responses/,
  ],
] as const) {
  test(`${what} is reported as invalid_response`, async (t) => {
    const { url } = await startStubServer(t, { [discovery]: (_, response) => respond(response) })
    const google = createTestProvider('google', { GOOGLE_ISSUER: url })
    await expectProviderError(t, google.begin(redirectUri), 'invalid_response', reason)
  })
}

for (const status of [429, 500, 502, 503]) {
  test(`status ${status} is reported as provider_unavailable`, async (t) => {
    const { url } = await startStubServer(t, { [discovery]: { status } })
    const google = createTestProvider('google', { GOOGLE_ISSUER: url })
    await expectProviderError(
      t,
      google.begin(redirectUri),
      'provider_unavailable',
      new RegExp(`${status}`),
    )
  })
}

test('a failed discovery is retried and a successful one is cached', async (t) => {
  const mock = await startMockAuthority(t)
  let requests = 0
  let failing = true
  mock.server.service.on('beforeWellKnownOpenIdConfiguration', (response) => {
    requests += 1
    if (failing) response.statusCode = 503
  })
  const google = createTestProvider('google', { GOOGLE_ISSUER: mock.url })
  const attempts = [1, 2, 3].map(() => google.begin(redirectUri))
  for (const attempt of attempts) await expectProviderError(t, attempt, 'provider_unavailable')
  t.is(requests, 1)

  failing = false
  expectSuccess(await signIn(google))
  for (const result of await Promise.all([signIn(google), signIn(google)])) expectSuccess(result)
  t.is(requests, 2)
})

const documents: Record<string, Record<string, unknown>> = {
  'that names another issuer': { issuer: 'https://evil.example' },
  'without an issuer': { issuer: undefined },
  'without a token endpoint': { token_endpoint: undefined },
  'whose jwks_uri is not a URL': { jwks_uri: 'keys' },
  'whose authorization endpoint is a script': { authorization_endpoint: 'javascript:alert(1)' },
  'with a token endpoint without TLS': { token_endpoint: 'http://192.0.2.1/token' },
}
for (const [what, document] of Object.entries(documents)) {
  test(`a discovery document ${what} is rejected`, async (t) => {
    const mock = await startMockAuthority(t)
    mock.document = document
    const google = createTestProvider('google', { GOOGLE_ISSUER: mock.url })
    await expectProviderError(t, google.begin(redirectUri), 'invalid_response')
  })
}

test('a sign-in fails when the keys cannot be loaded', async (t) => {
  const mock = await startMockAuthority(t)
  const { url } = await startStubServer(t, { '/404': { status: 404 }, '/503': { status: 503 } })
  for (const [path, code] of [
    ['/404', 'provider_error'],
    ['/503', 'provider_unavailable'],
  ] as const) {
    mock.document.jwks_uri = `${url}${path}`
    const google = createTestProvider('google', { GOOGLE_ISSUER: mock.url })
    await expectProviderError(t, signIn(google), code)
  }
})
