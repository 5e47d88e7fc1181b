// Threat: PKCE downgrade (verifiers); tokens that outlive their user; body identity.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { openDatabase } from '../../src/storage/database.ts'
import { sweep } from '../../src/storage/sweep.ts'
import type { Door, Ending } from '../support/doors.ts'
import {
  good,
  makePkce,
  openSignInWorld,
  signIn,
  takeCode,
  visitApp,
  without,
} from '../support/sign-in.ts'

const world = await openSignInWorld()
test.after.always(() => world.stop())

const isRefused = (ending: Ending) =>
  !ending.ok && ending.kind === 'refused' && ending.reason === 'CODE_REFUSED'
const take = (door: Door, email = world.newcomer()) => takeCode(door, email)
const idOf = async (email: string) => {
  const { rows } = await world.pool.query('select id from users where email = $1', [email])
  return rows[0].id as string
}

for (const door of world.doors) {
  const through = `through ${door.name}`

  test(`a wrong verifier is 400, and then the right one works once ${through}`, async (t) => {
    const { exchange } = await take(door)
    const { code_verifier: right } = exchange
    for (const code_verifier of [
      ...['a', right.slice(0, -1), `${right}A`, right.toUpperCase(), right.toLowerCase(), '43'],
      ...[makePkce().verifier, 'a'.repeat(128), 'a'.repeat(129), 'a'.repeat(1000), ` ${right}`],
      ...[`${right}\n`, `${right}\0`, 'é'.repeat(43), '🦊'.repeat(43), '\0', '=', `${right}=`],
    ])
      t.true(isRefused(await door.call('ExchangeToken', { ...exchange, code_verifier })))
    t.true((await door.call('ExchangeToken', exchange)).ok)
    t.true(isRefused(await door.call('ExchangeToken', exchange)))
  })

  test(`the challenge is no verifier ${through}`, async (t) => {
    const { verifier, challenge } = makePkce()
    const request = { code_challenge: challenge }
    const { redirect } = await visitApp(door, 'github', world.newcomer(), request)
    const code = redirect.searchParams.get('code') ?? ''
    const { workspaces } = good(await door.call('ListCodeWorkspaces', { code }))
    const exchange = { code, workspace_id: workspaces[0].id, code_verifier: challenge }
    t.true(isRefused(await door.call('ExchangeToken', exchange)))
    t.true((await door.call('ExchangeToken', { ...exchange, code_verifier: verifier })).ok)
  })

  test(`any string as code or verifier that does not match is 400, however long, ${through}`, async (t) => {
    const { exchange } = await take(door)
    for (const changes of [
      ...[200, 201, 5000].map((length) => ({ code: 'a'.repeat(length) })),
      ...[1001, 100_000].map((length) => ({ code_verifier: 'a'.repeat(length) })),
    ]) {
      const ending = await door.call('ExchangeToken', { ...exchange, ...changes })
      const [[name, value] = []] = Object.entries(changes)
      t.true(isRefused(ending), `${name} of ${value?.length}`)
    }
    const long = await door.call('ListCodeWorkspaces', { code: 'a'.repeat(5000) })
    t.true(isRefused(long))
  })

  test(`what is missing or no UUID is 422 and leaves the code alone ${through}`, async (t) => {
    const { exchange } = await take(door)
    const cases: [string, Record<string, unknown>][] = [
      ...['code', 'workspace_id', 'code_verifier'].flatMap(
        (field): [string, Record<string, unknown>][] => [
          [field, without(door, exchange, field)],
          [field, { ...exchange, [field]: '' }],
        ],
      ),
      ['workspace_id', { ...exchange, workspace_id: 'x' }],
      ['workspace_id', { ...exchange, workspace_id: `${exchange.workspace_id} ` }],
    ]
    for (const [field, message] of cases) {
      const ending = await door.call('ExchangeToken', message)
      t.like(ending, { ok: false, kind: 'invalid' })
      t.deepEqual(!ending.ok && ending.problems.map((problem) => problem.field), [field])
    }
    t.true((await door.call('ExchangeToken', exchange)).ok)
  })

  test(`an unknown code is 400 ${through}`, async (t) => {
    const { exchange } = await take(door)
    const { code: right } = exchange
    for (const code of ['x', `${right}x`, right.slice(1), right.toUpperCase(), '\0', "' or 1=1"]) {
      t.true(isRefused(await door.call('ExchangeToken', { ...exchange, code })))
      t.true(isRefused(await door.call('ListCodeWorkspaces', { code })))
    }
  })

  test(`reading a code's workspaces does not consume it ${through}`, async (t) => {
    const email = world.newcomer()
    const first = await take(door, email)
    const [home] = first.workspaces
    const other = await world.seed.workspace('Another')
    await world.seed.member(other, await idOf(email), 'editor')
    for (let round = 0; round < 3; round += 1) {
      const { code } = first.exchange
      const { workspaces } = good(await door.call('ListCodeWorkspaces', { code }))
      t.is(workspaces.length, 2)
      const slug = `w-${other}`
      const { id, name, role } = home
      t.deepEqual(
        workspaces.toSorted((a: any, b: any) => a.role.localeCompare(b.role)),
        [
          { id: other, name: 'Another', slug, role: 'editor' },
          { id, name, slug: home.slug, role },
        ],
      )
    }
    const message = { ...first.exchange, workspace_id: other.toUpperCase() }
    t.is(good(await door.call('ExchangeToken', message)).workspace_id, other)
    const { code } = first.exchange
    t.true(isRefused(await door.call('ListCodeWorkspaces', { code })))
  })

  test(`a workspace one is not in is 403 and does not consume the code ${through}`, async (t) => {
    const { exchange } = await take(door)
    for (const workspace_id of [randomUUID(), await world.seed.workspace()]) {
      const ending = await door.call('ExchangeToken', { ...exchange, workspace_id })
      t.like(ending, { ok: false, kind: 'forbidden', reason: 'NOT_A_MEMBER' })
    }
    t.true((await door.call('ExchangeToken', exchange)).ok)
  })

  test(`a code of somebody who left the workspace since is 403 ${through}`, async (t) => {
    const { exchange } = await take(door)
    const { workspace_id } = exchange
    await world.pool.query('delete from members where workspace_id = $1', [workspace_id])
    t.like(await door.call('ExchangeToken', exchange), { ok: false, kind: 'forbidden' })
    const { code } = exchange
    t.deepEqual(good(await door.call('ListCodeWorkspaces', { code })), { workspaces: [] })
  })

  test(`a code of somebody deactivated since is 401, to whoever has its verifier ${through}`, async (t) => {
    const email = world.newcomer()
    const { exchange } = await take(door, email)
    await world.pool.query('update users set is_active = false where email = $1', [email])
    const inactive = { ok: false, kind: 'unauthenticated', reason: 'USER_INACTIVE' }
    t.like(await door.call('ExchangeToken', exchange), inactive)
    t.like(await door.call('ListCodeWorkspaces', { code: exchange.code }), inactive)
    const stolen = { ...exchange, code_verifier: 'x'.repeat(43) }
    t.true(isRefused(await door.call('ExchangeToken', stolen)))
  })

  test(`a second exchange is 400, revokes the family and denies its access token ${through}`, async (t) => {
    const email = world.newcomer()
    const other = await signIn(door, email, 'github')
    const { tokens, exchange } = await signIn(door, email, 'github')
    const { access_token: token, refresh_token } = tokens
    const next = good(await door.call('RefreshToken', { refresh_token }))
    t.true((await door.call('GetMe', {}, { token })).ok)
    t.true(isRefused(await door.call('ExchangeToken', exchange)))
    for (const each of [token, next.access_token])
      t.like(await door.call('GetMe', {}, { token: each }), { reason: 'TOKEN_REVOKED' })
    const again = await door.call('RefreshToken', { refresh_token: next.refresh_token })
    t.like(again, { ok: false, kind: 'unauthenticated' })
    // The other session of the same person goes on.
    t.true((await door.call('GetMe', {}, { token: other.tokens.access_token })).ok)
    t.true(isRefused(await door.call('ExchangeToken', exchange)))
  })

  test(`a replay with a wrong verifier is only a 400 ${through}`, async (t) => {
    const { tokens, exchange } = await signIn(door, world.newcomer(), 'github')
    const wrong = { ...exchange, code_verifier: makePkce().verifier }
    t.true(isRefused(await door.call('ExchangeToken', wrong)))
    t.true((await door.call('GetMe', {}, { token: tokens.access_token })).ok)
    const { refresh_token } = tokens
    t.true((await door.call('RefreshToken', { refresh_token })).ok)
  })

  test(`a replay for another workspace ends the tokens as well ${through}`, async (t) => {
    const { tokens, exchange } = await signIn(door, world.newcomer(), 'github')
    const replay = { ...exchange, workspace_id: randomUUID() }
    t.true(isRefused(await door.call('ExchangeToken', replay)))
    t.false((await door.call('GetMe', {}, { token: tokens.access_token })).ok)
  })

  test(`an invited member joins with the first exchange, and only there ${through}`, async (t) => {
    const email = world.newcomer()
    const [here, there] = [await world.seed.workspace('A'), await world.seed.workspace('B')]
    const id = await world.seed.user('', { email })
    for (const workspace_id of [here, there]) await world.seed.member(workspace_id, id, 'editor')
    await world.pool.query('update members set joined_at = null where user_id = $1', [id])
    const joined = async () => {
      const sql = 'select workspace_id, joined_at from members where user_id = $1'
      const { rows } = await world.pool.query(sql, [id])
      return new Map(rows.map((row) => [row.workspace_id, row.joined_at]))
    }
    const { exchange, workspaces } = await take(door, email)
    t.is(workspaces.length, 2)
    t.is((await joined()).get(here), null)
    good(await door.call('ExchangeToken', { ...exchange, workspace_id: here }))
    const first = await joined()
    t.true(first.get(here) instanceof Date)
    t.is(first.get(there), null)
    const second = await take(door, email)
    good(await door.call('ExchangeToken', { ...second.exchange, workspace_id: here }))
    t.deepEqual(await joined(), first)
  })

  test(`fields that nobody declared change nothing ${through}`, async (t) => {
    const boss = await world.seed.person(await world.seed.workspace(), 'owner')
    const email = world.newcomer()
    const { exchange } = await take(door, email)
    const more = { user_id: boss, sub: boss, is_admin: true, wrole: 'owner', redirect_uri: 'x' }
    const headers = { 'x-user-id': boss, 'x-admin': 'true' }
    const ending = await door.call('ExchangeToken', { ...exchange, ...more }, { headers })
    const token = good(ending).access_token
    t.is(good(await door.call('GetMe', {}, { token })).email, email)
    const { rows } = await world.pool.query('select is_admin from users where email = $1', [email])
    t.false(rows[0].is_admin)
  })

  test(`a user agent of any form is kept as far as it goes ${through}`, async (t) => {
    const odd = door.name === 'grpc' ? ['x\0y', '🦊'.repeat(400), '\ud83e'] : ['é', 'x'.repeat(999)]
    for (const user_agent of ['', ...odd]) {
      const { exchange } = await take(door)
      const ending = await door.call('ExchangeToken', { ...exchange, user_agent })
      t.true(ending.ok, JSON.stringify(user_agent.slice(0, 5)))
    }
  })

  test.serial(`a code shown again an hour later still ends what it gave ${through}`, async (t) => {
    t.teardown(() => {
      world.clock.now = undefined
    })
    const { tokens, exchange } = await signIn(door, world.newcomer(), 'github')
    world.clock.now = new Date(Date.now() + 600_000)
    const database = openDatabase(world.databaseUrl, () => {})
    await sweep(database, world.clock.now)
    await database.close()
    t.true(isRefused(await door.call('ExchangeToken', exchange)))
    const { access_token: token, refresh_token } = tokens
    t.like(await door.call('GetMe', {}, { token }), { reason: 'TOKEN_REVOKED' })
    t.false((await door.call('RefreshToken', { refresh_token })).ok)
  })

  test.serial(`a code expires after five minutes ${through}`, async (t) => {
    t.teardown(() => {
      world.clock.now = undefined
    })
    const start = Date.now()
    world.clock.now = new Date(start)
    const [{ exchange }, { exchange: late }] = [await take(door), await take(door)]
    world.clock.now = new Date(start + 299_999)
    t.true((await door.call('ListCodeWorkspaces', { code: exchange.code })).ok)
    t.true((await door.call('ExchangeToken', exchange)).ok)
    for (const passed of [300_000, 300_001, 86_400_000]) {
      world.clock.now = new Date(start + passed)
      t.true(isRefused(await door.call('ExchangeToken', late)), `${passed}`)
      t.true(isRefused(await door.call('ListCodeWorkspaces', { code: late.code })))
    }
  })
}

test('codes, verifiers and tokens are in no row as they are', async (t) => {
  const [door] = world.doors as [Door]
  const { tokens, exchange } = await signIn(door, world.newcomer(), 'github')
  for (const table of ['authorization_codes', 'refresh_tokens', 'refresh_families', 'activity']) {
    const { rows } = await world.pool.query(`select * from ${table}`)
    const text = JSON.stringify(rows)
    for (const secret of [exchange.code, exchange.code_verifier, ...Object.values(tokens)])
      if (String(secret).length > 40) t.false(text.includes(String(secret)), table)
  }
})

test('the answer is not to be stored', async (t) => {
  const [rest] = world.doors.filter(({ name }) => name === 'rest') as [Door]
  const { exchange } = await take(rest)
  const ending = await rest.call('ExchangeToken', exchange)
  t.like(ending, { ok: true, status: 200, headers: { 'cache-control': 'no-store' } })
  const { refresh_token } = good(ending)
  const refreshed = await rest.call('RefreshToken', { refresh_token })
  t.like(refreshed, { ok: true, status: 200, headers: { 'cache-control': 'no-store' } })
})

test.after('nothing of it was a fault of ours', (t) => t.deepEqual(world.failures, []))
