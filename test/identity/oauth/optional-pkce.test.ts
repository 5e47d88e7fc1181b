// Threat: PKCE downgrade, code injection, for clients that may omit PKCE.
import test from 'ava'
import {
  createAuthorizationRequest,
  createOAuthClient,
  oauthUri,
  signInAtAuthorize,
  signInWithOAuth,
} from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { createPkce, createSignInEnvironment } from '../../support/sign-in.ts'

const environment = await createSignInEnvironment()
const { pool } = environment
const optional = { type: 'confidential', pkce_required: false }
const client = await createOAuthClient(environment, optional)
test.after.always(() => environment.stop())

const withoutPkce = { code_challenge: undefined, code_challenge_method: undefined }

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const redeem = (message: object) => transport.call('IssueToken', message)

  /** Signs a new user in without PKCE and returns the exchange of the code. */
  async function obtainExchange(own = client, more: object = {}) {
    const { request } = createAuthorizationRequest(own.client_id, { ...withoutPkce, ...more })
    for (const name of Object.keys(request)) if (request[name] === undefined) delete request[name]
    const { location } = await signInAtAuthorize(transport, environment.addProviderUser(), request)
    const code = new URL(location).searchParams.get('code') ?? ''
    return { grant_type: 'authorization_code', code, redirect_uri: oauthUri, ...own }
  }

  async function errorOf(request: object) {
    const { location } = expectOk(await transport.call('Authorize', request))
    return new URL(location).searchParams.get('error')
  }

  test(`a client that may omit PKCE signs in with state or nonce ${over}`, async (t) => {
    for (const more of [{ state: undefined }, { nonce: undefined }]) {
      const tokens = expectOk(await redeem(await obtainExchange(client, more)))
      t.truthy(tokens.access_token)
    }
    const { request } = createAuthorizationRequest(client.client_id, withoutPkce)
    for (const missing of [
      { state: undefined, nonce: undefined },
      { state: '', nonce: '' },
    ])
      t.is(await errorOf({ ...request, ...missing }), 'invalid_request')
  })

  test(`PKCE is verified whenever a client uses it ${over}`, async (t) => {
    const { request, verifier } = createAuthorizationRequest(client.client_id)
    for (const invalid of [
      { code_challenge: undefined },
      { code_challenge_method: undefined },
      { code_challenge_method: 'plain' },
      { code_challenge: 'short' },
    ])
      t.is(await errorOf({ ...request, ...invalid }), 'invalid_request', JSON.stringify(invalid))
    const { location } = await signInAtAuthorize(transport, environment.addProviderUser(), request)
    const code = new URL(location).searchParams.get('code') ?? ''
    const exchange = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: oauthUri,
      ...client,
    }
    t.is(expectError(await redeem(exchange)).reason, 'INVALID_GRANT')
    const wrong = { ...exchange, code_verifier: createPkce().verifier }
    t.is(expectError(await redeem(wrong)).reason, 'INVALID_GRANT')
    t.truthy(expectOk(await redeem({ ...exchange, code_verifier: verifier })).access_token)
  })

  test(`a verifier without a challenge is refused, because the challenge was removed ${over}`, async (t) => {
    const exchange = await obtainExchange()
    const { verifier: code_verifier } = createPkce()
    t.is(expectError(await redeem({ ...exchange, code_verifier })).reason, 'INVALID_GRANT')
    const { code } = exchange
    const other = { code, code_verifier, workspace_id: '00000000-0000-4000-8000-000000000000' }
    const refused = await transport.call('ExchangeToken', other)
    t.is(expectError(refused).reason, 'CODE_REFUSED')
    t.true((await redeem(exchange)).ok)
  })

  test(`a code without a challenge requires the secret of its client and can be used once ${over}`, async (t) => {
    const exchange = await obtainExchange()
    const { client_secret: _, ...withoutSecret } = exchange
    t.is(expectError(await redeem(withoutSecret)).reason, 'INVALID_CLIENT')
    const another = await createOAuthClient(environment, optional)
    t.is(expectError(await redeem({ ...exchange, ...another })).reason, 'INVALID_GRANT')
    const { access_token: token } = expectOk(await redeem(exchange))
    t.is(expectError(await redeem(exchange)).reason, 'INVALID_GRANT')
    t.is(expectError(await transport.call('GetMe', {}, { token })).reason, 'TOKEN_REVOKED')
  })

  test(`a client that became public cannot use a code without a challenge ${over}`, async (t) => {
    const own = await createOAuthClient(environment, optional)
    const exchange = await obtainExchange(own)
    const sql = "update client_apps set type = 'public', pkce_required = true where id = $1"
    await pool.query(sql, [own.client_id])
    await pool.query('delete from client_secrets where app_id = $1', [own.client_id])
    const { client_secret: _, ...publicExchange } = exchange
    t.is(expectError(await redeem(publicExchange)).reason, 'INVALID_REQUEST')
    const { verifier: code_verifier } = createPkce()
    t.is(expectError(await redeem({ ...publicExchange, code_verifier })).reason, 'INVALID_GRANT')
  })

  test(`other clients must use PKCE ${over}`, async (t) => {
    for (const type of ['public', 'confidential']) {
      const { client_id } = await createOAuthClient(environment, { type })
      const { request } = createAuthorizationRequest(client_id, withoutPkce)
      t.is(await errorOf(request), 'invalid_request')
      await signInWithOAuth(environment, transport, {
        client: await createOAuthClient(environment, { type }),
      })
    }
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
