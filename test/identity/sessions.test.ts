// Threat: IDOR (sessions of others); tokens that outlive their user.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, obtainCode, signIn } from '../support/sign-in.ts'
import type { Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
test.after.always(() => environment.stop())

const list = async (transport: Transport, token: string): Promise<Record<string, any>[]> =>
  expectOk(await transport.call('ListSessions', {}, { token })).sessions
const uses = (transport: Transport, token: string) => transport.call('GetMe', {}, { token })
const refresh = (transport: Transport, refresh_token: string) =>
  transport.call('RefreshToken', { refresh_token })

/** Creates three sessions of one user. */
async function createThreeSessions(transport: Transport) {
  const email = environment.addProviderUser()
  const first = (await signIn(transport, email, 'google')).tokens
  const second = (await signIn(transport, email, 'microsoft')).tokens
  const third = (await signIn(transport, email, 'github')).tokens
  return { email, first, second, third, token: String(third.access_token) }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`ListSessions returns the user's sessions, newest first, and marks the current one ${over}`, async (t) => {
    const { first, token } = await createThreeSessions(transport)
    const sessions = await list(transport, token)
    t.deepEqual(
      sessions.map(({ provider, current, workspace_id }) => [provider, current, workspace_id]),
      ['github', 'microsoft', 'google'].map((provider) => [
        provider,
        provider === 'github',
        first.workspace_id,
      ]),
    )
    for (const { id, created_at, last_used_at, expires_at } of sessions) {
      t.regex(id, /^[0-9a-f-]{36}$/)
      t.deepEqual(last_used_at, created_at)
      t.is(Date.parse(expires_at) - Date.parse(created_at), 604_800_000)
    }
    const others = await list(transport, String(first.access_token))
    t.deepEqual(
      others.map(({ current }) => current),
      [false, false, true],
    )
  })

  test(`a refresh keeps the session and updates last_used_at ${over}`, async (t) => {
    const { tokens } = await signIn(transport, environment.addProviderUser(), 'github')
    const [before] = await list(transport, tokens.access_token)
    const next = expectOk(await refresh(transport, tokens.refresh_token))
    const [after, ...others] = await list(transport, next.access_token)
    t.deepEqual(others, [])
    t.true(Date.parse(after?.last_used_at) > Date.parse(before?.last_used_at))
    t.deepEqual({ ...after, last_used_at: '' }, { ...before, last_used_at: '' })
  })

  test(`a session has the first 300 characters of the exchange's user agent ${over}`, async (t) => {
    for (const user_agent of ['Firefox/150.0 (Linux)', 'x'.repeat(400)]) {
      const { exchange } = await obtainCode(transport, environment.addProviderUser())
      const tokens = expectOk(await transport.call('ExchangeToken', { ...exchange, user_agent }))
      const [session] = await list(transport, tokens.access_token)
      t.is(session?.user_agent, user_agent.slice(0, 300))
    }
  })

  test(`EndSession ends the tokens of that session only ${over}`, async (t) => {
    const { first, second, token } = await createThreeSessions(transport)
    const old = (await list(transport, token)).find(({ provider }) => provider === 'google')
    const message = { session_id: old?.id }
    const outcome = await transport.call('EndSession', message, { token })
    t.true(outcome.ok)
    if (transport.name === 'rest') t.like(outcome, { status: 204 })
    t.like(await uses(transport, first.access_token), { reason: 'TOKEN_REVOKED' })
    t.like(await refresh(transport, first.refresh_token), { code: 'unauthenticated' })
    t.true((await uses(transport, second.access_token)).ok)
    t.is((await list(transport, token)).length, 2)
    const again = await transport.call('EndSession', message, { token })
    t.like(again, { ok: false, code: 'not_found', reason: 'SESSION_NOT_FOUND' })
  })

  test(`EndSession on the current session ends the caller's own tokens ${over}`, async (t) => {
    const { token, third } = await createThreeSessions(transport)
    const own = (await list(transport, token)).find(({ current }) => current)
    t.true(
      (await transport.call('EndSession', { session_id: own?.id.toUpperCase() }, { token })).ok,
    )
    t.like(await uses(transport, token), { code: 'unauthenticated' })
    t.like(await refresh(transport, third.refresh_token), { code: 'unauthenticated' })
  })

  test(`EndOtherSessions keeps the caller's session ${over}`, async (t) => {
    const { first, second, third, token } = await createThreeSessions(transport)
    const { tokens: otherTokens } = await signIn(transport, environment.addProviderUser(), 'github')
    const next = expectOk(await refresh(transport, third.refresh_token))
    const outcome = await transport.call('EndOtherSessions', {}, { token: next.access_token })
    t.true(outcome.ok)
    if (transport.name === 'rest') t.like(outcome, { status: 204 })
    for (const pair of [first, second]) {
      t.like(await uses(transport, pair.access_token), { reason: 'TOKEN_REVOKED' })
      t.like(await refresh(transport, pair.refresh_token), { code: 'unauthenticated' })
    }
    t.deepEqual(
      (await list(transport, token)).map(({ current }) => current),
      [true],
    )
    t.true((await refresh(transport, next.refresh_token)).ok)
    t.true((await refresh(transport, otherTokens.refresh_token)).ok)
    t.true((await transport.call('EndOtherSessions', {}, { token })).ok)
  })

  test(`another user's session returns 404, like an unknown one ${over}`, async (t) => {
    const { token } = await createThreeSessions(transport)
    const { tokens: otherTokens } = await signIn(transport, environment.addProviderUser(), 'github')
    const [otherSession] = await list(transport, otherTokens.access_token)
    const outcomes = []
    for (const session_id of [otherSession?.id, randomUUID()]) {
      const outcome = await transport.call('EndSession', { session_id }, { token })
      t.like(outcome, { ok: false, code: 'not_found', reason: 'SESSION_NOT_FOUND' })
      outcomes.push({ ...outcome, headers: {} })
    }
    t.deepEqual(outcomes[0], outcomes[1])
    t.true((await refresh(transport, otherTokens.refresh_token)).ok)
    const bad = await transport.call('EndSession', { session_id: 'x' }, { token })
    t.like(bad, { ok: false, code: 'invalid_argument' })
  })

  test(`ListSessions lists only the caller's sessions, whatever user_id the request names ${over}`, async (t) => {
    const { token, email } = await createThreeSessions(transport)
    const { tokens: otherTokens } = await signIn(transport, environment.addProviderUser(), 'github')
    const message = { user_id: decodeJwt(otherTokens.access_token).sub }
    const outcome = await transport.call('ListSessions', message, { token })
    if (transport.name === 'rest') t.is(expectError(outcome).code, 'invalid_argument')
    else t.is(expectOk(outcome).sessions.length, 3)
    t.is(expectOk(await uses(transport, token)).email, email)
  })

  test(`the session methods require an access token ${over}`, async (t) => {
    for (const method of ['ListSessions', 'EndOtherSessions'])
      t.like(await transport.call(method, {}), { ok: false, code: 'unauthenticated' })
    const outcome = await transport.call('EndSession', { session_id: randomUUID() })
    t.like(outcome, { ok: false, code: 'unauthenticated' })
  })

  test.serial(`an expired session is not listed ${over}`, async (t) => {
    t.teardown(() => {
      environment.clock.now = undefined
    })
    const start = Date.now()
    const email = environment.addProviderUser()
    environment.clock.now = new Date(start)
    await signIn(transport, email, 'github')
    environment.clock.now = new Date(start + 604_799_000)
    const { tokens } = await signIn(transport, email, 'github')
    t.is((await list(transport, tokens.access_token)).length, 2)
    environment.clock.now = new Date(start + 604_800_000)
    t.is((await list(transport, tokens.access_token)).length, 1)
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
