import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { createOAuthClient, signInWithOAuth } from '../../support/oauth.ts'
import { expectError, expectOk } from '../../support/outcome.ts'
import { createSignInEnvironment } from '../../support/sign-in.ts'

const environment = await createSignInEnvironment()
const confidential = { type: 'confidential' }
const client = await createOAuthClient(environment, confidential)
const other = await createOAuthClient(environment, confidential)
const publicClient = await createOAuthClient(environment)
const { key } = await environment.seed.serviceApp(`s-${randomUUID()}`)
test.after.always(() => environment.stop())

const basic = ({ client_id, client_secret = '' }: typeof client) => ({
  authorization: `Basic ${btoa(`${client_id}:${encodeURIComponent(client_secret)}`)}`,
})

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const introspect = (message: object, credentials = {}) =>
    transport.call('IntrospectToken', message, credentials)

  test(`a confidential client introspects its own tokens, and no others ${over}`, async (t) => {
    const own = await signInWithOAuth(environment, transport, { client })
    const foreign = await signInWithOAuth(environment, transport, { client: other })
    const ofPublic = await signInWithOAuth(environment, transport, { client: publicClient })
    for (const credentials of [client, basic(client)]) {
      for (const token of [own.tokens.access_token, own.tokens.refresh_token]) {
        const state = expectOk(await introspect({ token, ...credentials }))
        t.like(state, { active: true, client_id: client.client_id })
      }
      for (const { tokens } of [foreign, ofPublic]) {
        for (const token of [tokens.access_token, tokens.refresh_token, 'x']) {
          const { active, ...rest } = expectOk(await introspect({ token, ...credentials }))
          t.false(active)
          t.deepEqual(Object.values(rest).filter(Boolean), [])
        }
      }
    }
    // The credentials limit the response even if there is also a service key.
    const { access_token: token } = foreign.tokens
    t.false(expectOk(await introspect({ token, ...client }, { key })).active)
    t.true(expectOk(await introspect({ token }, { key })).active)
  })

  test(`an active access token has the time of its sign-in ${over}`, async (t) => {
    const { tokens } = await signInWithOAuth(environment, transport, { client })
    const { auth_time, auth_time_unconfirmed } = decodeJwt(tokens.access_token)
    const read = async (token: string) => expectOk(await introspect({ token, ...client }))
    t.is(typeof auth_time, 'number')
    t.like(await read(tokens.access_token), { auth_time, auth_time_unconfirmed })
    t.falsy((await read(tokens.refresh_token)).auth_time)
  })

  test(`wrong credentials of a client return invalid_client ${over}`, async (t) => {
    const { tokens } = await signInWithOAuth(environment, transport, { client })
    const { access_token: token } = tokens
    const { client_id, client_secret } = client
    for (const credentials of [
      { client_id },
      { client_secret },
      { client_id, client_secret: '' },
      { client_id, client_secret: other.client_secret },
      { client_id: randomUUID(), client_secret },
      basic({ client_id, client_secret: 'wrong' }),
      { authorization: 'Basic x' },
      publicClient,
    ]) {
      const error = expectError(await introspect({ token, ...credentials }))
      t.like(error, { code: 'unauthenticated', reason: 'INVALID_CLIENT' })
    }
    t.is(expectError(await introspect({ token })).code, 'unauthenticated')
    t.is(
      expectError(await introspect({ token, ...client }, { key: 'dk_x' })).code,
      'unauthenticated',
    )
    t.is(expectError(await introspect({ ...client })).reason, 'INVALID_REQUEST')
  })
}

test('discovery lists the authentication methods of the introspection endpoint', async (t) => {
  const url = `http://127.0.0.1:${environment.httpPort}/.well-known/openid-configuration`
  const metadata = (await (await fetch(url)).json()) as Record<string, unknown>
  t.deepEqual(metadata.introspection_endpoint_auth_methods_supported, [
    'client_secret_basic',
    'client_secret_post',
    'private_key_jwt',
    'Bearer',
  ])
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
