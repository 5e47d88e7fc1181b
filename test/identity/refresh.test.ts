// Threat: code and refresh races (reuse, restart); tokens that outlive their user.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { decodeJwt } from 'jose'
import type { Door, Ending } from '../support/doors.ts'
import { good, openSignInWorld, signIn, without } from '../support/sign-in.ts'

const world = await openSignInWorld()
test.after.always(() => world.stop())

const isDenied = (ending: Ending) => !ending.ok && ending.kind === 'unauthenticated'
const refresh = (door: Door, { refresh_token }: Record<string, any>) =>
  door.call('RefreshToken', { refresh_token })
const start = async (door: Door) => {
  const email = world.newcomer()
  const { tokens } = await signIn(door, email, 'github')
  return { email, tokens, id: String(decodeJwt(tokens.access_token).sub) }
}
const uses = (door: Door, { access_token: token }: Record<string, any>) =>
  door.call('GetMe', {}, { token })

for (const door of world.doors) {
  const through = `through ${door.name}`

  test(`a refresh gives a new pair in the same family ${through}`, async (t) => {
    const { tokens } = await start(door)
    let pair = tokens
    for (let round = 0; round < 3; round += 1) {
      const next = good(await refresh(door, pair))
      t.deepEqual(Object.keys(next).toSorted(), Object.keys(tokens).toSorted())
      t.like(next, { token_type: 'Bearer', expires_in: 900, workspace_id: tokens.workspace_id })
      t.not(next.refresh_token, pair.refresh_token)
      t.not(decodeJwt(next.access_token).jti, decodeJwt(pair.access_token).jti)
      // The access token from before goes on to its own end.
      t.true((await uses(door, pair)).ok)
      pair = next
    }
    const { sessions } = good(
      await door.call('ListSessions', {}, { token: String(pair.access_token) }),
    )
    t.is(sessions.length, 1)
    t.true(sessions[0].current)
  })

  test(`a reused token is 401 and ends the family with its access tokens ${through}`, async (t) => {
    const { email, tokens } = await start(door)
    const other = (await signIn(door, email, 'github')).tokens
    const second = good(await refresh(door, tokens))
    const third = good(await refresh(door, second))
    t.like(await refresh(door, tokens), {
      kind: 'unauthenticated',
      reason: 'REFRESH_TOKEN_REFUSED',
    })
    for (const pair of [tokens, second, third]) {
      t.like(await uses(door, pair), { kind: 'unauthenticated', reason: 'TOKEN_REVOKED' })
      t.true(isDenied(await refresh(door, pair)))
    }
    t.true((await uses(door, other)).ok)
    t.true((await refresh(door, other)).ok)
  })

  test(`a consumed token is refused after a restart, too ${through}`, async (t) => {
    const { tokens } = await start(door)
    const next = good(await refresh(door, tokens))
    const node = await world.another()
    const again = node.doors.find(({ name }) => name === door.name) as Door
    t.true((await uses(again, next)).ok)
    t.true(isDenied(await refresh(again, tokens)))
    t.true(isDenied(await refresh(again, next)))
    t.true(isDenied(await uses(again, next)))
    t.true(isDenied(await uses(door, next)))
  })

  test(`an unknown, malformed or missing refresh token is refused ${through}`, async (t) => {
    const { tokens } = await start(door)
    const right = String(tokens.refresh_token)
    for (const refresh_token of ['x', '..', `${right}x`, right.slice(1), ` ${right}`, '\0', 'é'])
      t.true(isDenied(await refresh(door, { refresh_token })), refresh_token)
    const claims = { sub: randomUUID(), jti: randomUUID(), wid: randomUUID() }
    const unknown = await world.app.tokens.sign('refresh', claims, 900)
    t.true(isDenied(await refresh(door, { refresh_token: unknown })))
    for (const message of [{ refresh_token: '' }, without(door, {}, 'refresh_token')])
      t.like(await door.call('RefreshToken', message), { ok: false, kind: 'invalid' })
    t.true((await refresh(door, tokens)).ok)
  })

  test(`refused after leaving the workspace, also on coming back ${through}`, async (t) => {
    const { id, tokens } = await start(door)
    const { workspace_id } = tokens
    await world.pool.query('delete from members where user_id = $1', [id])
    t.true(isDenied(await refresh(door, tokens)))
    await world.seed.member(workspace_id, id, 'owner')
    t.true(isDenied(await refresh(door, tokens)))
  })

  test(`a deactivated user's refresh and access tokens are refused at once ${through}`, async (t) => {
    const { id, tokens } = await start(door)
    t.true((await uses(door, tokens)).ok)
    await world.pool.query('update users set is_active = false where id = $1', [id])
    t.true(isDenied(await refresh(door, tokens)))
    t.true(isDenied(await uses(door, tokens)))
  })

  test(`a deleted user's or workspace's tokens are refused ${through}`, async (t) => {
    const [gone, moved] = [await start(door), await start(door)]
    await world.pool.query('delete from users where id = $1', [gone.id])
    await world.pool.query('delete from workspaces where id = $1', [moved.tokens.workspace_id])
    t.true(isDenied(await refresh(door, gone.tokens)))
    t.true(isDenied(await uses(door, gone.tokens)))
    t.true(isDenied(await refresh(door, moved.tokens)))
  })

  test(`a refresh tells of today's role, groups, name and slug ${through}`, async (t) => {
    const { id, tokens } = await start(door)
    const wid = String(tokens.workspace_id)
    t.like(decodeJwt(tokens.access_token), { wrole: 'owner', groups: [], name: 'Ann' })
    const group = await world.seed.group(wid, [id])
    const elsewhere = await world.seed.workspace()
    await world.seed.member(elsewhere, id)
    await world.seed.group(elsewhere, [id])
    await world.pool.query(`update members set role = 'editor' where workspace_id = $1`, [wid])
    await world.pool.query(`update users set name = 'Anna' where id = $1`, [id])
    const slug = `moved-${door.name}`
    await world.pool.query('update workspaces set slug = $2 where id = $1', [wid, slug])
    const today = decodeJwt(good(await refresh(door, tokens)).access_token)
    t.like(today, { sub: id, wid, wslug: slug, wrole: 'editor', groups: [group], name: 'Anna' })
  })

  test.serial(
    `a session ends at its absolute lifetime, however often refreshed ${through}`,
    async (t) => {
      t.teardown(() => {
        world.clock.now = undefined
      })
      const begun = Math.floor(Date.now() / 1000) * 1000
      world.clock.now = new Date(begun)
      const { tokens } = await start(door)
      t.is(tokens.refresh_expires_in, 604_800)
      world.clock.now = new Date(begun + 604_000_000)
      const late = good(await refresh(door, tokens))
      t.is(late.refresh_expires_in, 800)
      world.clock.now = new Date(begun + 604_799_000)
      const last = good(await refresh(door, late))
      t.is(last.refresh_expires_in, 1)
      for (const passed of [604_800_000, 700_000_000]) {
        world.clock.now = new Date(begun + passed)
        t.true(isDenied(await refresh(door, last)))
      }
    },
  )
}

test.after('nothing of it was a fault of ours', (t) => t.deepEqual(world.failures, []))
