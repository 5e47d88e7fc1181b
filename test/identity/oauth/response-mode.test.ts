// Threat: a page that sends a form is a place to inject markup and scripts.
import { createHash, randomUUID } from 'node:crypto'
import test from 'ava'
import { signInErrors } from '../../../src/identity/sign-in-result.ts'
import {
  createAuthorizationRequest,
  createOAuthClient,
  issuer,
  oauthUri,
  readPage,
  signInAtAuthorize,
} from '../../support/oauth.ts'
import { expectOk } from '../../support/outcome.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'

const environment = await createSignInEnvironment()
const withoutPersonal = await environment.addNode({ PERSONAL_WORKSPACES: false })
const { seed } = environment
const client = await createOAuthClient(environment)
test.after.always(() => environment.stop())

const response_mode = 'form_post'

/** Reads the form of a response: its address and its fields. */
function readForm({ html, page }: Record<string, any>) {
  if (page) {
    const fields = page.fields.map(({ name, value }: Record<string, string>) => [name, value])
    return { action: page.links[0].url, fields: Object.fromEntries(fields) }
  }
  const decode = (text: string) =>
    text.replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))
  const [, action = ''] = /<form method="post" action="([^"]*)">/.exec(html) ?? []
  const fields = [...html.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)">/g)]
  return {
    action: decode(action),
    fields: Object.fromEntries(fields.map(([, name, value]) => [name, decode(value)])),
  }
}

/** The request that a URL of daikon repeats. */
const follow = (url: string | URL | undefined) =>
  Object.fromEntries(new URL(url ?? '').searchParams)

for (const [index, transport] of environment.transports.entries()) {
  const over = `over ${transport.label}`
  const authorize = async (message: object) =>
    expectOk(await transport.call('Authorize', message)) as Record<string, any>

  test(`form_post sends the code, the state and iss in a form ${over}`, async (t) => {
    const state = `"'><script>alert(1)</script>&amp;`
    const { request, verifier } = createAuthorizationRequest(client.client_id, {
      response_mode,
      state,
    })
    const email = environment.addProviderUser()
    const { location, browser_session } = await signInAtAuthorize(transport, email, request)
    t.true(location.startsWith(`${issuer}/oauth/authorize?`))
    const response = await authorize({ ...follow(location), browser_session })
    t.falsy(response.location)
    const { action, fields } = readForm(response)
    t.is(action, oauthUri)
    const { code, ...others } = fields
    t.deepEqual(others, { state, iss: issuer })
    if (response.html) {
      t.false(response.html.includes('<script>alert'))
      t.regex(response.html, /<button[^>]*>Continue<\/button>/)
    }
    const grant = { grant_type: 'authorization_code', code, redirect_uri: oauthUri }
    const exchange = { ...grant, code_verifier: verifier, ...client }
    t.truthy(expectOk(await transport.call('IssueToken', exchange)).access_token)
  })

  test(`errors of a request are sent in the requested mode ${over}`, async (t) => {
    const { request } = createAuthorizationRequest(client.client_id, { response_mode })
    for (const [more, error] of [
      [{ prompt: 'none' }, 'login_required'],
      [{ code_challenge: undefined }, 'invalid_request'],
      [{ response_type: 'token' }, 'unsupported_response_type'],
    ] as const) {
      const { action, fields } = readForm(await authorize({ ...request, ...more }))
      t.is(action, oauthUri)
      t.like(fields, { error, state: 'state of the client', iss: issuer })
    }
    for (const mode of ['fragment', 'web_message', 'form_post query', '']) {
      const { location } = await authorize({ ...request, response_mode: mode })
      t.is(new URL(location).searchParams.get('error'), 'invalid_request', mode)
    }
    const query = await authorize({ ...request, response_mode: 'query', prompt: 'none' })
    t.is(new URL(query.location).searchParams.get('error'), 'login_required')
  })

  test(`a sign-in that the provider refuses is sent in the form ${over}`, async (t) => {
    const { request } = createAuthorizationRequest(client.client_id, { response_mode })
    const email = environment.addProviderUser({ verified: false })
    const { location, browser_session } = await signInAtAuthorize(transport, email, request)
    t.falsy(browser_session)
    t.true(location.startsWith(`${issuer}/oauth/authorize?`))
    const { action, fields } = readForm(await authorize(follow(location)))
    t.is(action, oauthUri)
    t.like(fields, {
      error: 'access_denied',
      error_description: signInErrors.email_not_verified,
      state: 'state of the client',
    })
    for (const sign_in_error of ['', 'constructor', 'The account is blocked'])
      t.regex((await authorize({ ...follow(location), sign_in_error })).location, /\/google\//)
    const query = { ...follow(location), response_mode: 'query', prompt: 'none' }
    const redirect = new URL((await authorize(query)).location)
    t.is(redirect.searchParams.get('error'), 'login_required')
  })

  test(`declining an invitation is sent in the form, and only from its page ${over}`, async (t) => {
    const line = withoutPersonal.transports[index] ?? transport
    const call = async (message: object) => expectOk(await line.call('Authorize', message))
    const email = environment.addProviderUser()
    const user = await seed.user('', { email })
    await seed.member(await seed.workspace('Acme'), user, 'viewer', { joined_at: null })
    const { request } = createAuthorizationRequest(client.client_id, { response_mode })
    const { location, browser_session } = await signInAtAuthorize(line, email, request)
    const page = readPage(await call({ ...follow(location), browser_session }))
    const [decline, ...others] = page.urls.filter(
      ({ searchParams }) => !searchParams.has('workspace'),
    )
    t.deepEqual(others, [])
    t.true(decline?.href.startsWith(`${issuer}/oauth/authorize?`))
    const declined = readForm(await call({ ...follow(decline), browser_session }))
    t.like(declined.fields, { error: 'access_denied', state: 'state of the client' })
    const forged = await call({ ...follow(decline), browser_session, confirmation: randomUUID() })
    t.is(readForm(forged).fields.error, undefined)
  })
}

test('the page allows its own script and form alone', async (t) => {
  const { request } = createAuthorizationRequest(client.client_id, {
    response_mode,
    prompt: 'none',
  })
  const query = new URLSearchParams(request)
  const response = await fetch(`http://127.0.0.1:${environment.httpPort}/oauth/authorize?${query}`)
  const html = await response.text()
  const policy = response.headers.get('content-security-policy') ?? ''
  const [, script = ''] = /<script>(.*?)<\/script>/s.exec(html) ?? []
  const hash = createHash('sha256').update(script).digest('base64')
  t.true(policy.includes(`script-src 'sha256-${hash}'; form-action https: http:;`), policy)
  t.regex(policy, /default-src 'none'/)
  t.regex(policy, /frame-ancestors 'none'/)
  t.is(html.split('<script').length, 2)
  t.is(response.headers.get('referrer-policy'), 'no-referrer')
  t.is(response.headers.get('cache-control'), 'no-store')
})

test('discovery lists the response modes', async (t) => {
  const url = `http://127.0.0.1:${environment.httpPort}/.well-known/openid-configuration`
  t.like(await (await fetch(url)).json(), { response_modes_supported: ['query', 'form_post'] })
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
