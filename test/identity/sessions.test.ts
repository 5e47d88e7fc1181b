// Threat: IDOR (sessions of others); tokens that outlive their user.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import type { Door } from '../support/doors.ts'
import { good, openSignInWorld, signIn, takeCode } from '../support/sign-in.ts'

const world = await openSignInWorld()
test.after.always(() => world.stop())

const list = async (door: Door, token: string): Promise<Record<string, any>[]> =>
  good(await door.call('ListSessions', {}, { token })).sessions
const uses = (door: Door, token: string) => door.call('GetMe', {}, { token })
const refresh = (door: Door, refresh_token: string) => door.call('RefreshToken', { refresh_token })

/** Three sessions of one person. */
async function signInThrice(door: Door) {
  const email = world.newcomer()
  const first = (await signIn(door, email, 'google')).tokens
  const second = (await signIn(door, email, 'microsoft')).tokens
  const third = (await signIn(door, email, 'github')).tokens
  return { email, first, second, third, token: String(third.access_token) }
}

for (const door of world.doors) {
  const through = `through ${door.name}`

  test(`one's sessions, newest first, with the current one marked ${through}`, async (t) => {
    const { first, token } = await signInThrice(door)
    const sessions = await list(door, token)
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
    const others = await list(door, String(first.access_token))
    t.deepEqual(
      others.map(({ current }) => current),
      [false, false, true],
    )
  })

  test(`a refresh keeps the session and says when ${through}`, async (t) => {
    const { tokens } = await signIn(door, world.newcomer(), 'github')
    const [before] = await list(door, tokens.access_token)
    const next = good(await refresh(door, tokens.refresh_token))
    const [after, ...others] = await list(door, next.access_token)
    t.deepEqual(others, [])
    t.true(Date.parse(after?.last_used_at) > Date.parse(before?.last_used_at))
    t.deepEqual({ ...after, last_used_at: '' }, { ...before, last_used_at: '' })
  })

  test(`the user agent of the exchange is shown, 300 characters of it ${through}`, async (t) => {
    for (const user_agent of ['Firefox/150.0 (Linux)', 'x'.repeat(400)]) {
      const { exchange } = await takeCode(door, world.newcomer())
      const tokens = good(await door.call('ExchangeToken', { ...exchange, user_agent }))
      const [session] = await list(door, tokens.access_token)
      t.is(session?.user_agent, user_agent.slice(0, 300))
    }
  })

  test(`ending one session ends its tokens alone ${through}`, async (t) => {
    const { first, second, token } = await signInThrice(door)
    const old = (await list(door, token)).find(({ provider }) => provider === 'google')
    const message = { session_id: old?.id }
    const ending = await door.call('EndSession', message, { token })
    t.true(ending.ok)
    if (door.name === 'rest') t.like(ending, { status: 204 })
    t.like(await uses(door, first.access_token), { reason: 'TOKEN_REVOKED' })
    t.like(await refresh(door, first.refresh_token), { kind: 'unauthenticated' })
    t.true((await uses(door, second.access_token)).ok)
    t.is((await list(door, token)).length, 2)
    const again = await door.call('EndSession', message, { token })
    t.like(again, { ok: false, kind: 'missing', reason: 'SESSION_NOT_FOUND' })
  })

  test(`ending the current session ends the caller's own tokens ${through}`, async (t) => {
    const { token, third } = await signInThrice(door)
    const own = (await list(door, token)).find(({ current }) => current)
    t.true((await door.call('EndSession', { session_id: own?.id.toUpperCase() }, { token })).ok)
    t.like(await uses(door, token), { kind: 'unauthenticated' })
    t.like(await refresh(door, third.refresh_token), { kind: 'unauthenticated' })
  })

  test(`ending all others leaves the caller's ${through}`, async (t) => {
    const { first, second, third, token } = await signInThrice(door)
    const { tokens: stranger } = await signIn(door, world.newcomer(), 'github')
    const next = good(await refresh(door, third.refresh_token))
    const ending = await door.call('EndOtherSessions', {}, { token: next.access_token })
    t.true(ending.ok)
    if (door.name === 'rest') t.like(ending, { status: 204 })
    for (const pair of [first, second]) {
      t.like(await uses(door, pair.access_token), { reason: 'TOKEN_REVOKED' })
      t.like(await refresh(door, pair.refresh_token), { kind: 'unauthenticated' })
    }
    t.deepEqual(
      (await list(door, token)).map(({ current }) => current),
      [true],
    )
    t.true((await refresh(door, next.refresh_token)).ok)
    t.true((await refresh(door, stranger.refresh_token)).ok)
    t.true((await door.call('EndOtherSessions', {}, { token })).ok)
  })

  test(`another user's session is 404 like a random one ${through}`, async (t) => {
    const { token } = await signInThrice(door)
    const { tokens: stranger } = await signIn(door, world.newcomer(), 'github')
    const [theirs] = await list(door, stranger.access_token)
    const answers = []
    for (const session_id of [theirs?.id, randomUUID()]) {
      const ending = await door.call('EndSession', { session_id }, { token })
      t.like(ending, { ok: false, kind: 'missing', reason: 'SESSION_NOT_FOUND' })
      answers.push({ ...ending, headers: {} })
    }
    t.deepEqual(answers[0], answers[1])
    t.true((await refresh(door, stranger.refresh_token)).ok)
    const bad = await door.call('EndSession', { session_id: 'x' }, { token })
    t.like(bad, { ok: false, kind: 'invalid' })
  })

  test(`sessions of another user are not listed, whatever is sent ${through}`, async (t) => {
    const { token, email } = await signInThrice(door)
    const { tokens: stranger } = await signIn(door, world.newcomer(), 'github')
    const message = { user_id: decodeJwt(stranger.access_token).sub }
    const { sessions } = good(await door.call('ListSessions', message, { token }))
    t.is(sessions.length, 3)
    t.is(good(await uses(door, token)).email, email)
  })

  test(`the methods of sessions want an access token ${through}`, async (t) => {
    for (const method of ['ListSessions', 'EndOtherSessions'])
      t.like(await door.call(method, {}), { ok: false, kind: 'unauthenticated' })
    const ending = await door.call('EndSession', { session_id: randomUUID() })
    t.like(ending, { ok: false, kind: 'unauthenticated' })
  })

  test.serial(`a session that is over is not listed ${through}`, async (t) => {
    t.teardown(() => {
      world.clock.now = undefined
    })
    const start = Date.now()
    const email = world.newcomer()
    world.clock.now = new Date(start)
    await signIn(door, email, 'github')
    world.clock.now = new Date(start + 604_799_000)
    const { tokens } = await signIn(door, email, 'github')
    t.is((await list(door, tokens.access_token)).length, 2)
    world.clock.now = new Date(start + 604_800_000)
    t.is((await list(door, tokens.access_token)).length, 1)
  })
}

test.after('nothing of it was a fault of ours', (t) => t.deepEqual(world.failures, []))
