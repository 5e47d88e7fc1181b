import test from 'ava'
import { decodeJwt } from 'jose'
import { createOAuthClient, issuer, signInWithOAuth } from '../../support/oauth.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'

const environment = await createSignInEnvironment()
const client = await createOAuthClient(environment)
test.after.always(() => environment.stop())

const get = async (path: string) => {
  const response = await fetch(`http://127.0.0.1:${environment.httpPort}${path}`)
  return (await response.json()) as Record<string, any>
}

test("the metadata matches the server's behaviour", async (t) => {
  const metadata = await get('/.well-known/openid-configuration')
  t.deepEqual(await get('/.well-known/oauth-authorization-server'), metadata)
  t.is(metadata.issuer, issuer)
  const endpoints = Object.entries(metadata).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name))
  t.is(endpoints.length, 7)
  for (const [name, url] of endpoints) {
    const { pathname } = new URL(url)
    const response = await fetch(`http://127.0.0.1:${environment.httpPort}${pathname}`)
    t.not(response.status, 404, name)
  }
  t.deepEqual(metadata.response_types_supported, ['code'])
  t.deepEqual(metadata.subject_types_supported, ['public'])
  t.deepEqual(metadata.id_token_signing_alg_values_supported, ['RS256'])
  t.true(metadata.scopes_supported.includes('openid'))
  for (const name of ['claims_parameter_supported', 'request_uri_parameter_supported'])
    t.false(metadata[name])
})

for (const transport of environment.transports) {
  test(`the order of scopes and unknown parameters have no effect over ${transport.label}`, async (t) => {
    const request = {
      scope: 'email address phone openid profile',
      ...(transport.name === 'rest' && {
        display: 'popup',
        ui_locales: 'se',
        claims_locales: 'se',
        extra: 'foobar',
        audience: 'x',
      }),
    }
    const { tokens, email } = await signInWithOAuth(environment, transport, { client, request })
    t.is(tokens.scope, 'openid profile email')
    const claims = decodeJwt(tokens.id_token)
    t.is(claims.email, email)
    // Every claim of the ID token is announced.
    const { claims_supported } = await get('/.well-known/openid-configuration')
    t.deepEqual(
      Object.keys(claims).filter((name) => !claims_supported.includes(name)),
      [],
    )
  })
}
