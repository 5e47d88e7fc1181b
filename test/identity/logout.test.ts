// Threat: tokens that outlive their user (logout); new enemy (logout on another node).
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { expectOk } from '../support/outcome.ts'
import { sendRawHttp } from '../support/raw-requests.ts'
import { createSignInEnvironment, signIn } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
const second = await environment.addNode()
test.after.always(() => environment.stop())

const refresh = (transport: Transport, { refresh_token }: Record<string, any>) =>
  transport.call('RefreshToken', { refresh_token })
const uses = (transport: Transport, { access_token: token }: Record<string, any>) =>
  transport.call('GetMe', {}, { token })
const logout = (transport: Transport, { access_token: token }: Record<string, any>) =>
  transport.call('Logout', {}, { token })

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const next = second.transports.find(({ name }) => name === transport.name) as Transport

  test(`logout denies the access token and revokes all refresh-token families of the user ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const { tokens } = await signIn(transport, email, 'github')
    const { tokens: other } = await signIn(transport, email, 'google')
    const { tokens: otherTokens } = await signIn(transport, environment.addProviderUser(), 'github')
    const refreshed = expectOk(await refresh(transport, tokens))
    t.deepEqual(expectOk(await logout(transport, tokens)), { status: 'ok' })
    t.like(await uses(transport, tokens), { code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
    for (const pair of [refreshed, other]) {
      t.like(await refresh(transport, pair), { code: 'unauthenticated' })
      t.like(await uses(transport, pair), { code: 'unauthenticated', reason: 'TOKEN_REVOKED' })
    }
    t.like(await logout(transport, tokens), { ok: false, code: 'unauthenticated' })
    const token = String(otherTokens.access_token)
    t.is(expectOk(await transport.call('ListSessions', {}, { token })).sessions.length, 1)
    t.true((await refresh(transport, otherTokens)).ok)
  })

  test(`a logout applies on another node as soon as it is acknowledged ${over}`, async (t) => {
    for (let round = 0; round < 20; round += 1) {
      const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
      // The other node has verified the token before and could have cached it.
      t.true((await uses(next, tokens)).ok)
      const [here, there] = round % 2 ? [transport, next] : [next, transport]
      expectOk(await logout(here, tokens))
      t.like(await uses(there, tokens), { ok: false, reason: 'TOKEN_REVOKED' })
      t.false((await refresh(there, tokens)).ok)
    }
  })

  test(`a token is denied until it expires ${over}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    expectOk(await logout(transport, tokens))
    const { jti, exp = 0 } = decodeJwt(tokens.access_token)
    const sql = 'select expires_at from denied_tokens where token_id = $1'
    const { rows } = await environment.pool.query(sql, [jti])
    t.is(rows[0].expires_at.getTime(), exp * 1000)
  })

  test(`logout without a token, or with another kind of token, returns 401 ${over}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    t.like(await transport.call('Logout', {}), { ok: false, code: 'unauthenticated' })
    const token = String(tokens.refresh_token)
    t.like(await transport.call('Logout', {}, { token }), { ok: false, code: 'unauthenticated' })
    t.like(await transport.call('Logout', {}, { admin: tokens.access_token }), { ok: false })
    t.true((await uses(transport, tokens)).ok)
  })

  test(`the body of a logout cannot name another session ${over}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    const { tokens: other } = await signIn(transport, environment.addProviderUser(), 'github')
    const body = { user_id: decodeJwt(other.access_token).sub, token: other.access_token }
    const outcome = await transport.call('Logout', body, { token: tokens.access_token })
    // Over gRPC, unknown fields are ignored.
    t.is(outcome.ok ? 'ok' : outcome.code, transport.name === 'grpc' ? 'ok' : 'invalid_argument')
    t.true((await uses(transport, other)).ok)
    t.true((await refresh(transport, other)).ok)
  })

  test(`a user can sign in again after a logout ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const first = await signIn(transport, email, 'github')
    expectOk(await logout(transport, first.tokens))
    const again = await signIn(transport, email, 'github')
    t.is(again.tokens.workspace_id, first.tokens.workspace_id)
    t.true((await uses(transport, again.tokens)).ok)
  })

  test(`20 concurrent logouts with one token each succeed or return 401 ${over}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => logout(transport, tokens)))
    t.true(outcomes.some(({ ok }) => ok))
    for (const outcome of outcomes) t.true(outcome.ok || outcome.code === 'unauthenticated')
    t.false((await uses(transport, tokens)).ok)
  })
}

test('logout without a body returns 200, with Cache-Control: no-store', async (t) => {
  const [transport] = environment.transports as [Transport]
  const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const request = { method: 'POST', path: '/auth/logout', headers }
  const {
    status,
    json,
    headers: responseHeaders,
  } = await sendRawHttp(environment.httpPort, request)
  t.is(status, 200)
  t.deepEqual(json, { status: 'ok' })
  t.is(responseHeaders['cache-control'], 'no-store')
  t.is((await sendRawHttp(environment.httpPort, { ...request, method: 'GET' })).status, 405)
})

test('logout with the token of an unknown user returns 401', async (t) => {
  const token = await environment.token(randomUUID(), randomUUID())
  for (const transport of environment.transports)
    t.like(await transport.call('Logout', {}, { token }), { ok: false, code: 'unauthenticated' })
})

test.after('no internal errors occurred', (t) => {
  t.deepEqual([...environment.failures, ...second.failures], [])
})
