// Threat: tokens that outlive their user (logout); new enemy (logout on another node).
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import type { Door } from '../support/doors.ts'
import { sendRaw } from '../support/raw.ts'
import { good, openSignInWorld, signIn } from '../support/sign-in.ts'

const world = await openSignInWorld()
const second = await world.another()
test.after.always(() => world.stop())

const refresh = (door: Door, { refresh_token }: Record<string, any>) =>
  door.call('RefreshToken', { refresh_token })
const uses = (door: Door, { access_token: token }: Record<string, any>) =>
  door.call('GetMe', {}, { token })
const logout = (door: Door, { access_token: token }: Record<string, any>) =>
  door.call('Logout', {}, { token })

for (const door of world.doors) {
  const through = `through ${door.name}`
  const next = second.doors.find(({ name }) => name === door.name) as Door

  test(`logout denies the access token and revokes every family of the user ${through}`, async (t) => {
    const email = world.newcomer()
    const { tokens } = await signIn(door, email, 'github')
    const { tokens: other } = await signIn(door, email, 'google')
    const { tokens: stranger } = await signIn(door, world.newcomer(), 'github')
    const refreshed = good(await refresh(door, tokens))
    t.deepEqual(good(await logout(door, tokens)), { status: 'ok' })
    t.like(await uses(door, tokens), { kind: 'unauthenticated', reason: 'TOKEN_REVOKED' })
    for (const pair of [refreshed, other]) {
      t.like(await refresh(door, pair), { kind: 'unauthenticated' })
      t.like(await uses(door, pair), { kind: 'unauthenticated', reason: 'TOKEN_REVOKED' })
    }
    t.like(await logout(door, tokens), { ok: false, kind: 'unauthenticated' })
    const token = String(stranger.access_token)
    t.is(good(await door.call('ListSessions', {}, { token })).sessions.length, 1)
    t.true((await refresh(door, stranger)).ok)
  })

  test(`logout holds on another node from its acknowledgement on ${through}`, async (t) => {
    for (let round = 0; round < 20; round += 1) {
      const { tokens } = await signIn(door, world.newcomer(), 'github')
      // The other node has seen the token and could remember it.
      t.true((await uses(next, tokens)).ok)
      const [here, there] = round % 2 ? [door, next] : [next, door]
      good(await logout(here, tokens))
      t.like(await uses(there, tokens), { ok: false, reason: 'TOKEN_REVOKED' })
      t.false((await refresh(there, tokens)).ok)
    }
  })

  test(`a token is denied for its own remaining life ${through}`, async (t) => {
    const { tokens } = await signIn(door, world.newcomer(), 'github')
    good(await logout(door, tokens))
    const { jti, exp = 0 } = decodeJwt(tokens.access_token)
    const sql = 'select expires_at from denied_tokens where token_id = $1'
    const { rows } = await world.pool.query(sql, [jti])
    t.is(rows[0].expires_at.getTime(), exp * 1000)
  })

  test(`logout without a token, or with another kind, is 401 ${through}`, async (t) => {
    const { tokens } = await signIn(door, world.newcomer(), 'github')
    t.like(await door.call('Logout', {}), { ok: false, kind: 'unauthenticated' })
    const token = String(tokens.refresh_token)
    t.like(await door.call('Logout', {}, { token }), { ok: false, kind: 'unauthenticated' })
    t.like(await door.call('Logout', {}, { admin: tokens.access_token }), { ok: false })
    t.true((await uses(door, tokens)).ok)
  })

  test(`a body of logout's changes nothing ${through}`, async (t) => {
    const { tokens } = await signIn(door, world.newcomer(), 'github')
    const { tokens: other } = await signIn(door, world.newcomer(), 'github')
    const body = { user_id: decodeJwt(other.access_token).sub, token: other.access_token }
    good(await door.call('Logout', body, { token: tokens.access_token }))
    t.true((await uses(door, other)).ok)
    t.true((await refresh(door, other)).ok)
  })

  test(`after a logout one signs in again ${through}`, async (t) => {
    const email = world.newcomer()
    const first = await signIn(door, email, 'github')
    good(await logout(door, first.tokens))
    const again = await signIn(door, email, 'github')
    t.is(again.tokens.workspace_id, first.tokens.workspace_id)
    t.true((await uses(door, again.tokens)).ok)
  })

  test(`20 parallel logouts with one token: one is ok, the others ok or 401 ${through}`, async (t) => {
    const { tokens } = await signIn(door, world.newcomer(), 'github')
    const endings = await Promise.all(Array.from({ length: 20 }, () => logout(door, tokens)))
    t.true(endings.some(({ ok }) => ok))
    for (const ending of endings) t.true(ending.ok || ending.kind === 'unauthenticated')
    t.false((await uses(door, tokens)).ok)
  })
}

test('logout is 200 without a body, too, and not to be stored', async (t) => {
  const [door] = world.doors as [Door]
  const { tokens } = await signIn(door, world.newcomer(), 'github')
  const headers = { authorization: `Bearer ${tokens.access_token}` }
  const request = { method: 'POST', path: '/auth/logout', headers }
  const { status, json, headers: answered } = await sendRaw(world.httpPort, request)
  t.is(status, 200)
  t.deepEqual(json, { status: 'ok' })
  t.is(answered['cache-control'], 'no-store')
  t.is((await sendRaw(world.httpPort, { ...request, method: 'GET' })).status, 405)
})

test('a token of nobody is 401 at logout', async (t) => {
  const token = await world.token(randomUUID(), randomUUID())
  for (const door of world.doors)
    t.like(await door.call('Logout', {}, { token }), { ok: false, kind: 'unauthenticated' })
})

test.after('nothing of it was a fault of ours', (t) => {
  t.deepEqual([...world.failures, ...second.failures], [])
})
