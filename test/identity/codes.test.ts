// Threat: PKCE downgrade (verifiers); tokens that outlive their user; body identity.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sweep } from '../../src/database/sweep.ts'
import { expectOk } from '../support/outcome.ts'
import {
  createPkce,
  createSignInEnvironment,
  obtainCode,
  signIn,
  signInToApp,
  without,
} from '../support/sign-in.ts'
import type { Outcome, Transport } from '../support/transports.ts'

const environment = await createSignInEnvironment()
test.after.always(() => environment.stop())

const isRefused = (outcome: Outcome) =>
  !outcome.ok && outcome.code === 'failed_precondition' && outcome.reason === 'CODE_REFUSED'
const take = (transport: Transport, email = environment.addProviderUser()) =>
  obtainCode(transport, email)
const idOf = async (email: string) => {
  const { rows } = await environment.pool.query('select id from users where email = $1', [email])
  return rows[0].id as string
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a wrong verifier returns 400 and leaves the code valid for one exchange ${over}`, async (t) => {
    const { exchange } = await take(transport)
    const { code_verifier: right } = exchange
    for (const code_verifier of [
      'a',
      right.slice(0, -1),
      `${right}A`,
      right.toUpperCase(),
      right.toLowerCase(),
      '43',
      createPkce().verifier,
      'a'.repeat(128),
      'a'.repeat(129),
      'a'.repeat(1000),
      ` ${right}`,
      `${right}\n`,
      'é'.repeat(43),
      '🦊'.repeat(43),
      '=',
      `${right}=`,
    ])
      t.true(isRefused(await transport.call('ExchangeToken', { ...exchange, code_verifier })))
    t.true((await transport.call('ExchangeToken', exchange)).ok)
    t.true(isRefused(await transport.call('ExchangeToken', exchange)))
  })

  test(`the challenge is not accepted as the verifier ${over}`, async (t) => {
    const { verifier, challenge } = createPkce()
    const request = { code_challenge: challenge }
    const { redirect } = await signInToApp(
      transport,
      'github',
      environment.addProviderUser(),
      request,
    )
    const code = redirect.searchParams.get('code') ?? ''
    const { workspaces } = expectOk(await transport.call('ListCodeWorkspaces', { code }))
    const exchange = { code, workspace_id: workspaces[0].id, code_verifier: challenge }
    t.true(isRefused(await transport.call('ExchangeToken', exchange)))
    t.true((await transport.call('ExchangeToken', { ...exchange, code_verifier: verifier })).ok)
  })

  test(`a code or verifier of any length that does not match returns 400 ${over}`, async (t) => {
    const { exchange } = await take(transport)
    for (const changes of [
      ...[200, 201, 5000].map((length) => ({ code: 'a'.repeat(length) })),
      ...[1001, 10_000].map((length) => ({ code_verifier: 'a'.repeat(length) })),
    ]) {
      const outcome = await transport.call('ExchangeToken', { ...exchange, ...changes })
      const [[name, value] = []] = Object.entries(changes)
      t.true(isRefused(outcome), `${name} of ${value?.length}`)
    }
    const long = await transport.call('ListCodeWorkspaces', { code: 'a'.repeat(5000) })
    t.true(isRefused(long))
  })

  test(`a missing field or an invalid UUID returns 422 and leaves the code valid ${over}`, async (t) => {
    const { exchange } = await take(transport)
    const cases: [string, Record<string, unknown>][] = [
      ...['code', 'workspace_id', 'code_verifier'].flatMap(
        (field): [string, Record<string, unknown>][] => [
          [field, without(transport, exchange, field)],
          [field, { ...exchange, [field]: '' }],
        ],
      ),
      ['workspace_id', { ...exchange, workspace_id: 'x' }],
      ['workspace_id', { ...exchange, workspace_id: `${exchange.workspace_id} ` }],
    ]
    for (const [field, message] of cases) {
      const outcome = await transport.call('ExchangeToken', message)
      t.like(outcome, { ok: false, code: 'invalid_argument' })
      t.deepEqual(!outcome.ok && outcome.violations.map((problem) => problem.field), [field])
    }
    t.true((await transport.call('ExchangeToken', exchange)).ok)
  })

  test(`an unknown code returns 400 ${over}`, async (t) => {
    const { exchange } = await take(transport)
    const { code: right } = exchange
    for (const code of ['x', `${right}x`, right.slice(1), right.toUpperCase(), "' or 1=1"]) {
      t.true(isRefused(await transport.call('ExchangeToken', { ...exchange, code })))
      t.true(isRefused(await transport.call('ListCodeWorkspaces', { code })))
    }
  })

  test(`ListCodeWorkspaces does not consume the code ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const first = await take(transport, email)
    const [home] = first.workspaces
    const other = await environment.seed.workspace('Another')
    await environment.seed.member(other, await idOf(email), 'editor')
    for (let round = 0; round < 3; round += 1) {
      const { code } = first.exchange
      const { workspaces } = expectOk(await transport.call('ListCodeWorkspaces', { code }))
      t.is(workspaces.length, 2)
      const slug = `w-${other}`
      const { id, name, role } = home
      t.deepEqual(
        workspaces.toSorted((a: any, b: any) => a.role.localeCompare(b.role)),
        [
          { id: other, name: 'Another', slug, role: 'editor', guest: false, status: 'active' },
          { id, name, slug: home.slug, role, guest: false, status: 'active' },
        ],
      )
    }
    const message = { ...first.exchange, workspace_id: other.toUpperCase() }
    t.is(expectOk(await transport.call('ExchangeToken', message)).workspace_id, other)
    const { code } = first.exchange
    t.true(isRefused(await transport.call('ListCodeWorkspaces', { code })))
  })

  test(`exchanging for a workspace of other users returns 403 and leaves the code valid ${over}`, async (t) => {
    const { exchange } = await take(transport)
    for (const workspace_id of [randomUUID(), await environment.seed.workspace()]) {
      const outcome = await transport.call('ExchangeToken', { ...exchange, workspace_id })
      t.like(outcome, { ok: false, code: 'permission_denied', reason: 'NOT_A_MEMBER' })
    }
    t.true((await transport.call('ExchangeToken', exchange)).ok)
  })

  test(`the code of a user removed from the workspace returns 403 ${over}`, async (t) => {
    const { exchange } = await take(transport)
    const { workspace_id } = exchange
    await environment.pool.query('delete from members where workspace_id = $1', [workspace_id])
    t.like(await transport.call('ExchangeToken', exchange), {
      ok: false,
      code: 'permission_denied',
    })
    const { code } = exchange
    t.deepEqual(expectOk(await transport.call('ListCodeWorkspaces', { code })), { workspaces: [] })
  })

  test(`the code of a deactivated user returns 401 with the correct verifier and 400 without it ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const { exchange } = await take(transport, email)
    await environment.pool.query('update users set is_active = false where email = $1', [email])
    const inactive = { ok: false, code: 'unauthenticated', reason: 'USER_INACTIVE' }
    t.like(await transport.call('ExchangeToken', exchange), inactive)
    t.like(await transport.call('ListCodeWorkspaces', { code: exchange.code }), inactive)
    const stolen = { ...exchange, code_verifier: 'x'.repeat(43) }
    t.true(isRefused(await transport.call('ExchangeToken', stolen)))
  })

  test(`a second exchange returns 400, revokes the family and denies its access token ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const other = await signIn(transport, email, 'github')
    const { tokens, exchange } = await signIn(transport, email, 'github')
    const { access_token: token, refresh_token } = tokens
    const next = expectOk(await transport.call('RefreshToken', { refresh_token }))
    t.true((await transport.call('GetMe', {}, { token })).ok)
    t.true(isRefused(await transport.call('ExchangeToken', exchange)))
    for (const each of [token, next.access_token])
      t.like(await transport.call('GetMe', {}, { token: each }), { reason: 'TOKEN_REVOKED' })
    const again = await transport.call('RefreshToken', { refresh_token: next.refresh_token })
    t.like(again, { ok: false, code: 'unauthenticated' })
    // The user's other session stays valid.
    t.true((await transport.call('GetMe', {}, { token: other.tokens.access_token })).ok)
    t.true(isRefused(await transport.call('ExchangeToken', exchange)))
  })

  test(`a second exchange with a wrong verifier returns 400 and revokes nothing ${over}`, async (t) => {
    const { tokens, exchange } = await signIn(transport, environment.addProviderUser(), 'github')
    const invalid = { ...exchange, code_verifier: createPkce().verifier }
    t.true(isRefused(await transport.call('ExchangeToken', invalid)))
    t.true((await transport.call('GetMe', {}, { token: tokens.access_token })).ok)
    const { refresh_token } = tokens
    t.true((await transport.call('RefreshToken', { refresh_token })).ok)
  })

  test(`a second exchange for another workspace revokes the tokens too ${over}`, async (t) => {
    const { tokens, exchange } = await signIn(transport, environment.addProviderUser(), 'github')
    const replay = { ...exchange, workspace_id: randomUUID() }
    t.true(isRefused(await transport.call('ExchangeToken', replay)))
    t.false((await transport.call('GetMe', {}, { token: tokens.access_token })).ok)
  })

  test(`an invited member joins a workspace with the first exchange for it ${over}`, async (t) => {
    const email = environment.addProviderUser()
    const [here, there] = [
      await environment.seed.workspace('A'),
      await environment.seed.workspace('B'),
    ]
    const id = await environment.seed.user('', { email })
    for (const workspace_id of [here, there])
      await environment.seed.member(workspace_id, id, 'editor')
    await environment.pool.query('update members set joined_at = null where user_id = $1', [id])
    const joined = async () => {
      const sql = 'select workspace_id, joined_at from members where user_id = $1 order by 1'
      const { rows } = await environment.pool.query(sql, [id])
      return new Map(rows.map((row) => [row.workspace_id, row.joined_at]))
    }
    const { exchange, workspaces } = await take(transport, email)
    t.deepEqual(
      workspaces.map(({ name, status }: any) => [name, status]),
      [
        ['Ann’s workspace', 'active'],
        ['A', 'invited'],
        ['B', 'invited'],
      ],
    )
    t.is((await joined()).get(here), null)
    expectOk(await transport.call('ExchangeToken', { ...exchange, workspace_id: here }))
    const first = await joined()
    t.true(first.get(here) instanceof Date)
    t.is(first.get(there), null)
    const second = await take(transport, email)
    expectOk(await transport.call('ExchangeToken', { ...second.exchange, workspace_id: here }))
    t.deepEqual(await joined(), first)
  })

  test(`undeclared fields have no effect ${over}`, async (t) => {
    const boss = await environment.seed.newMember(await environment.seed.workspace(), 'owner')
    const email = environment.addProviderUser()
    const { exchange } = await take(transport, email)
    const more = { user_id: boss, sub: boss, is_admin: true, wrole: 'owner', redirect_uri: 'x' }
    const headers = { 'x-user-id': boss, 'x-admin': 'true' }
    const rejected = await transport.call('ExchangeToken', { ...exchange, ...more }, { headers })
    // gRPC ignores unknown fields, so the code has been consumed.
    if (transport.name === 'rest') t.like(rejected, { ok: false, code: 'invalid_argument' })
    const accepted =
      transport.name === 'rest'
        ? await transport.call('ExchangeToken', exchange, { headers })
        : rejected
    const token = expectOk(accepted).access_token
    t.is(expectOk(await transport.call('GetMe', {}, { token })).email, email)
    const { rows } = await environment.pool.query('select is_admin from users where email = $1', [
      email,
    ])
    t.false(rows[0].is_admin)
  })

  test(`any user agent is accepted ${over}`, async (t) => {
    const unusual =
      transport.name === 'grpc' ? ['🦊'.repeat(400), '\ud83e'] : ['é', 'x'.repeat(999)]
    for (const user_agent of ['', ...unusual]) {
      const { exchange } = await take(transport)
      const outcome = await transport.call('ExchangeToken', { ...exchange, user_agent })
      t.true(outcome.ok, JSON.stringify(user_agent.slice(0, 5)))
    }
  })

  test.serial(
    `a second exchange after the code's lifetime still revokes the tokens ${over}`,
    async (t) => {
      t.teardown(() => {
        environment.clock.now = undefined
      })
      const { tokens, exchange } = await signIn(transport, environment.addProviderUser(), 'github')
      environment.clock.now = new Date(Date.now() + 600_000)
      await sweep(environment.database, environment.clock.now)
      t.true(isRefused(await transport.call('ExchangeToken', exchange)))
      const { access_token: token, refresh_token } = tokens
      t.like(await transport.call('GetMe', {}, { token }), { reason: 'TOKEN_REVOKED' })
      t.false((await transport.call('RefreshToken', { refresh_token })).ok)
    },
  )

  test.serial(`a code expires after five minutes ${over}`, async (t) => {
    t.teardown(() => {
      environment.clock.now = undefined
    })
    const start = Date.now()
    environment.clock.now = new Date(start)
    const [{ exchange }, { exchange: late }] = [await take(transport), await take(transport)]
    environment.clock.now = new Date(start + 299_999)
    t.true((await transport.call('ListCodeWorkspaces', { code: exchange.code })).ok)
    t.true((await transport.call('ExchangeToken', exchange)).ok)
    for (const passed of [300_000, 300_001, 86_400_000]) {
      environment.clock.now = new Date(start + passed)
      t.true(isRefused(await transport.call('ExchangeToken', late)), `${passed}`)
      t.true(isRefused(await transport.call('ListCodeWorkspaces', { code: late.code })))
    }
  })
}

test('no table contains a code, verifier or token in plain text', async (t) => {
  const [transport] = environment.transports as [Transport]
  const { tokens, exchange } = await signIn(transport, environment.addProviderUser(), 'github')
  for (const table of ['authorization_codes', 'refresh_tokens', 'refresh_families', 'activity']) {
    const { rows } = await environment.pool.query(`select * from ${table}`)
    const text = JSON.stringify(rows)
    for (const secret of [exchange.code, exchange.code_verifier, ...Object.values(tokens)])
      if (String(secret).length > 40) t.false(text.includes(String(secret)), table)
  }
})

test('token responses have Cache-Control: no-store', async (t) => {
  const [rest] = environment.transports.filter(({ name }) => name === 'rest') as [Transport]
  const { exchange } = await take(rest)
  const outcome = await rest.call('ExchangeToken', exchange)
  t.like(outcome, { ok: true, status: 200, headers: { 'cache-control': 'no-store' } })
  const { refresh_token } = expectOk(outcome)
  const refreshed = await rest.call('RefreshToken', { refresh_token })
  t.like(refreshed, { ok: true, status: 200, headers: { 'cache-control': 'no-store' } })
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
