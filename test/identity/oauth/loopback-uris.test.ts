// Threat: the exception for native apps opens other addresses.
import test from 'ava'
import {
  createAuthorizationRequest,
  createOAuthClient,
  signInAtAuthorize,
} from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { createPkce, createSignInEnvironment } from '../../support/sign-in.ts'

const environment = await createSignInEnvironment()
const registered = [
  'http://127.0.0.1/callback?from=daikon',
  'http://[::1]/',
  'http://127.0.0.1:3000/fixed',
  'http://localhost/callback',
  'https://127.0.0.1/secure',
  'https://app.example.com/callback',
]
const client = await createOAuthClient(environment, {}, registered)
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const authorize = (redirect_uri: string) => {
    const { request } = createAuthorizationRequest(client.client_id, {
      redirect_uri,
      prompt: 'none',
    })
    return transport.call('Authorize', request)
  }

  test(`a loopback address without a port is met by any port ${over}`, async (t) => {
    for (const uri of [
      'http://127.0.0.1/callback?from=daikon',
      'http://127.0.0.1:51004/callback?from=daikon',
      'http://127.0.0.1:1/callback?from=daikon',
      'http://[::1]:65535/',
      'http://127.0.0.1:3000/fixed',
    ]) {
      const { location } = expectOk(await authorize(uri))
      t.true(location.startsWith(new URL(uri).origin), uri)
    }
  })

  test(`every other difference is refused ${over}`, async (t) => {
    for (const uri of [
      'http://127.0.0.1:51004/callback',
      'http://127.0.0.1:51004/callback?from=daikon&x=1',
      'http://127.0.0.1:51004/Callback?from=daikon',
      'http://127.0.0.1:51004/x/../callback?from=daikon',
      'http://127.0.0.1:51004/callback?from=daikon#x',
      'http://127.0.0.1:99999/callback?from=daikon',
      'http://127.0.0.1:/callback?from=daikon',
      'http://127.0.0.1:-1/callback?from=daikon',
      'http://127.0.0.1:80@evil.example/callback?from=daikon',
      'http://127.0.0.1:80\\@evil.example/callback?from=daikon',
      'http://127.0.0.1.evil.example:80/callback?from=daikon',
      'http://u@127.0.0.1:80/callback?from=daikon',
      'http://127.0.0.2:80/callback?from=daikon',
      'http://127.1:80/callback?from=daikon',
      'HTTP://127.0.0.1:80/callback?from=daikon',
      'https://127.0.0.1:8443/callback?from=daikon',
      'http://[::1]:80',
      'http://[0:0:0:0:0:0:0:1]:80/',
      'http://127.0.0.1:3001/fixed',
      'http://127.0.0.1/fixed',
      'http://localhost:80/callback',
      'https://127.0.0.1:8443/secure',
      'https://app.example.com:8443/callback',
    ])
      t.is(expectError(await authorize(uri)).code, 'failed_precondition', uri)
  })

  test(`the token request must repeat the port ${over}`, async (t) => {
    const redirect_uri = 'http://127.0.0.1:51004/callback?from=daikon'
    const { request, verifier } = createAuthorizationRequest(client.client_id, { redirect_uri })
    const email = environment.addProviderUser()
    const { location } = await signInAtAuthorize(transport, email, request)
    t.true(location.startsWith(redirect_uri))
    const code = new URL(location).searchParams.get('code')
    const grant = { grant_type: 'authorization_code', code, code_verifier: verifier, ...client }
    for (const other of [registered[0], redirect_uri.replace('51004', '51005')]) {
      const refused = await transport.call('IssueToken', { ...grant, redirect_uri: other })
      t.is(expectError(refused).reason, 'INVALID_GRANT')
    }
    expectOk(await transport.call('IssueToken', { ...grant, redirect_uri }))
  })

  test(`/auth/login compares ports, too ${over}`, async (t) => {
    const begin = (redirect_uri: string) =>
      transport.call('BeginLogin', {
        provider: 'github',
        redirect_uri,
        code_challenge: createPkce().challenge,
        code_challenge_method: 'S256',
      })
    t.true((await begin(registered[0] ?? '')).ok)
    const refused = await begin('http://127.0.0.1:51004/callback?from=daikon')
    t.is(expectError(refused).reason, 'REDIRECT_URI_REFUSED')
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
