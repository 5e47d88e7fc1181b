import { randomUUID } from 'node:crypto'
import test from 'ava'
import { matchesAny } from '../../src/database/search.ts'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createSignInEnvironment, obtainCode, signIn, signInAdmin } from '../support/sign-in.ts'

const environment = await createSignInEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

async function userOf(email: string): Promise<string> {
  return (await pool.query('select id from users where email = $1', [email])).rows[0].id
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`
  const call = (method: string, message: object = {}) => admin.call(transport, method, message)
  const list = async (message: object) => expectOk(await call('ListUsers', message))
  const change = (user_id: string, changes: object) => call('UpdateUser', { user_id, ...changes })

  test(`users are listed by e-mail in pages ${through}`, async (t) => {
    const mark = randomUUID()
    const emails = ['c', 'a', 'b'].map((letter) => `${letter}-${mark}@example.com`)
    for (const email of emails) await seed.user('P', { email })
    const first = await list({ q: mark, page_size: 2 })
    t.like(first, { total: 3, page: 1, page_size: 2 })
    const second = await list({ q: mark, page_size: 2, page: 2 })
    const found = [...first.items, ...second.items].map(({ email }) => email)
    t.deepEqual(found, emails.toSorted())
    t.like(first.items[0], { name: 'P', is_active: true, is_admin: false, avatar_url: '' })
    t.deepEqual(await list({ q: mark, page: 2_147_483_647, page_size: 100 }), {
      items: [],
      total: 3,
      page: 2_147_483_647,
      page_size: 100,
    })
    t.like(await list({}), { page: 1, page_size: 20 })
  })

  test(`an external_id is set, unique and removed ${through}`, async (t) => {
    const [id, other] = [await seed.user(), await seed.user()]
    const external_id = `Ext/${randomUUID()}`
    t.is(expectOk(await change(id, { external_id })).external_id, external_id)
    t.is(expectOk(await call('GetUser', { user_id: id })).external_id, external_id)
    expectOk(await change(id, { external_id }))
    const { code, reason } = expectError(await change(other, { external_id }))
    t.deepEqual([code, reason], ['already_exists', 'EXTERNAL_ID_TAKEN'])
    const concurrent = `ext-${randomUUID()}`
    const outcomes = await Promise.all(
      [id, other].map((user) => change(user, { external_id: concurrent })),
    )
    t.is(outcomes.filter(({ ok }) => ok).length, 1)
    expectOk(await change(id, { external_id: '' }))
    t.is(expectOk(await call('GetUser', { user_id: id })).external_id ?? null, null)
    for (const invalid of ['x'.repeat(256), 'a\u0000b']) {
      const { violations } = expectError(await change(id, { external_id: invalid }))
      t.is(violations[0]?.field, 'external_id')
    }
  })

  test(`q matches names and e-mails case-insensitively; wildcards are literal ${through}`, async (t) => {
    const mark = randomUUID()
    const id = await seed.user(`Zoë 100%_${mark}`, { email: `plain-${mark}@example.com` })
    const find = async (q: string) => (await list({ q })).items.map((user: any) => user.id)
    t.deepEqual(await find(`ZOË 100%_${mark}`), [id])
    t.deepEqual(await find(`PLAIN-${mark}`), [id])
    for (const q of [`100__${mark}`, `Zoë%${mark}`, `\\_${mark}`, `' or 1=1 --${mark}`])
      t.deepEqual(await find(q), [], q)
  })

  test(`out-of-range pages and search texts return 422 ${through}`, async (t) => {
    for (const [message, field] of [
      [{ page: 0 }, 'page'],
      [{ page: -1 }, 'page'],
      [{ page_size: 0 }, 'page_size'],
      [{ page_size: 101 }, 'page_size'],
      [{ q: 'x'.repeat(101) }, 'q'],
    ] as const) {
      const { code, violations } = expectError(await call('ListUsers', message))
      t.is(code, 'invalid_argument')
      t.deepEqual(
        violations.map((problem) => problem.field),
        [field],
      )
    }
  })

  test(`a user's detail contains accounts, memberships, groups, roles and sessions ${through}`, async (t) => {
    const email = environment.addProviderUser()
    const { workspaces } = await signIn(transport, email, 'github')
    const id = await userOf(email)
    const team = await seed.workspace('Team')
    expectOk(await call('AddUserToWorkspace', { user_id: id, workspace_id: team }))
    const group = await seed.group(team, [id], 'Crew')
    const role = await seed.customRole(team, [], [id])
    const user = expectOk(await call('GetUser', { user_id: id.toUpperCase() }))
    t.like(user, { id, email, is_active: true, is_admin: false })
    t.true(Math.abs(Date.parse(user.last_sign_in_at) - Date.now()) < 600_000)
    t.is(user.linked_accounts.length, 1)
    t.like(user.linked_accounts[0], { provider: 'github', email })
    const memberships = user.memberships.map((membership: any) => [
      membership.workspace_id,
      membership.role,
      membership.status,
    ])
    const own = [workspaces[0].id, 'owner', 'active']
    t.deepEqual(memberships.toSorted(), [own, [team, 'viewer', 'invited']].toSorted())
    t.deepEqual(
      user.groups.map((each: any) => [each.id, each.name]),
      [[group, 'Crew']],
    )
    t.deepEqual(
      user.roles.map((each: any) => each.id),
      [role],
    )
    t.is(user.sessions.length, 1)
    t.like(user.sessions[0], { workspace_id: workspaces[0].id, provider: 'github', current: false })
    t.is(expectError(await call('GetUser', { user_id: randomUUID() })).reason, 'USER_NOT_FOUND')
  })

  test(`a name is trimmed, changed and recorded; updates without changes are not recorded ${through}`, async (t) => {
    const id = await seed.user('old')
    const user = expectOk(await change(id, { name: ' New ' }))
    t.like(user, { id, name: 'New', is_active: true, is_admin: false })
    expectOk(await change(id, { name: 'New', is_active: true }))
    t.deepEqual(expectOk(await change(id, {})), expectOk(await call('GetUser', { user_id: id })))
    t.deepEqual(await listActivity(pool, id), [
      {
        action: 'user.updated',
        target_type: 'user',
        actor_id: admin.id,
        workspace_id: null,
        detail: { email: user.email },
      },
    ])
    t.is(expectError(await change(id, { name: ' ' })).code, 'invalid_argument')
    t.is(expectError(await change(randomUUID(), { name: 'x' })).reason, 'USER_NOT_FOUND')
  })

  test(`a deactivated user gets 401 over every transport, starting with the next request ${through}`, async (t) => {
    const email = environment.addProviderUser()
    const { tokens, exchange } = await signIn(transport, email, 'github')
    const { exchange: pending } = await obtainCode(transport, email)
    const id = await userOf(email)
    t.false(expectOk(await change(id, { is_active: false })).is_active)
    const { access_token: token, refresh_token } = tokens
    const inactive = { ok: false, code: 'unauthenticated' } as const
    for (const each of environment.transports) {
      t.like(await each.call('GetMe', {}, { token }), inactive)
      t.like(await each.call('RefreshToken', { refresh_token }), inactive)
      for (const code of [pending, exchange])
        t.like(await each.call('ExchangeToken', code), { ...inactive, reason: 'USER_INACTIVE' })
    }
    t.deepEqual(expectOk(await call('GetUser', { user_id: id })).sessions, [])

    // Earlier credentials stay invalid after reactivation.
    t.true(expectOk(await change(id, { is_active: true })).is_active)
    t.like(await transport.call('GetMe', {}, { token }), { reason: 'TOKEN_REVOKED' })
    t.like(await transport.call('RefreshToken', { refresh_token }), inactive)
    t.like(await transport.call('ExchangeToken', pending), {
      ok: false,
      code: 'failed_precondition',
    })
    await signIn(transport, email, 'github')
    const actions = (await listActivity(pool, id)).map(({ action }) => action)
    t.deepEqual(
      actions.filter((action) => /activated$/.test(action)),
      ['user.deactivated', 'user.activated'],
    )
  })

  test(`a code exchange concurrent with a deactivation leaves no session ${through}`, async (t) => {
    for (let round = 0; round < 5; round += 1) {
      const email = environment.addProviderUser()
      const { exchange } = await obtainCode(transport, email)
      const id = await userOf(email)
      const [exchanged] = await Promise.all([
        transport.call('ExchangeToken', exchange),
        change(id, { is_active: false }),
      ])
      if (!exchanged.ok) t.is(exchanged.code, 'unauthenticated')
      const sql = 'select id from refresh_families where user_id = $1'
      t.deepEqual((await pool.query(sql, [id])).rows, [])
    }
  })

  test(`a deactivated administrator gets 401 at once, a demoted one 403 ${through}`, async (t) => {
    const other = await createAdmin(environment)
    expectOk(await other.call(transport, 'ListUsers'))
    expectOk(await change(other.id, { is_active: false }))
    t.is(expectError(await other.call(transport, 'ListUsers')).reason, 'USER_INACTIVE')
    expectOk(await change(other.id, { is_active: true }))
    await pool.query('update users set is_admin = false where id = $1', [other.id])
    t.is(expectError(await other.call(transport, 'ListUsers')).reason, 'NOT_ADMIN')
  })

  test(`an admin cookie issued before a deactivation stays invalid after reactivation ${through}`, async (t) => {
    const email = environment.addProviderUser()
    await signIn(transport, email, 'github')
    const id = await userOf(email)
    await pool.query('update users set is_admin = true where id = $1', [id])
    const { admin = '' } = await signInAdmin(transport, email, 'github')
    expectOk(await transport.call('GetAdminMe', {}, { admin }))
    expectOk(await change(id, { is_active: false }))
    for (const is_active of [false, true]) {
      expectOk(await change(id, { is_active }))
      for (const each of environment.transports)
        t.is(expectError(await each.call('GetAdminMe', {}, { admin })).reason, 'TOKEN_REVOKED')
    }
    const { admin: newToken = '' } = await signInAdmin(transport, email, 'github')
    t.like(expectOk(await transport.call('GetAdminMe', {}, { admin: newToken })), { email })
  })

  test(`PATCH cannot change whether a user is an administrator ${through}`, async (t) => {
    for (const [id, is_admin] of [
      [await seed.user(), false],
      [(await createAdmin(environment)).id, true],
    ] as const) {
      const outcome = await change(id, { is_admin: !is_admin, name: 'New' })
      if (transport.name === 'rest') t.is(expectError(outcome).violations[0]?.field, 'is_admin')
      t.like(expectOk(await change(id, { name: 'New' })), { name: 'New', is_admin })
    }
  })

  test(`an administrator who deactivates their own account gets 403 ${through}`, async (t) => {
    const self = await createAdmin(environment)
    for (const user_id of [self.id, self.id.toUpperCase()]) {
      const changes = { is_active: false, name: 'New' }
      const outcome = await self.call(transport, 'UpdateUser', { user_id, ...changes })
      t.like(expectError(outcome), { code: 'permission_denied', reason: 'OWN_ACCOUNT' })
    }
    const allowedFields = { name: 'Me', is_active: true }
    t.like(
      expectOk(await self.call(transport, 'UpdateUser', { user_id: self.id, ...allowedFields })),
      allowedFields,
    )
  })

  test(`adding a user to a workspace creates an invitation with the role ${through}`, async (t) => {
    const workspace_id = await seed.workspace()
    const email = `added-${randomUUID()}@example.com`
    const user_id = await seed.user('Added', { email })
    const add = (more: object = {}) =>
      call('AddUserToWorkspace', { user_id, workspace_id, role: 'editor', ...more })
    const outcome = await add()
    if (outcome.ok && transport.name === 'rest') t.is(outcome.status, 201)
    t.like(expectOk(outcome), { user_id, workspace_id, email, role: 'editor', status: 'invited' })
    t.is(expectOk(await add({ role: 'admin' })).role, 'admin')
    await pool.query('update members set joined_at = now() where user_id = $1', [user_id])
    t.like(expectError(await add()), { code: 'already_exists', reason: 'ALREADY_A_MEMBER' })
    const unknownUser = expectError(await add({ user_id: randomUUID() }))
    t.like(unknownUser, { code: 'not_found', reason: 'USER_NOT_FOUND' })
    const unknownWorkspace = expectError(await add({ workspace_id: randomUUID() }))
    t.like(unknownWorkspace, { code: 'not_found', reason: 'WORKSPACE_NOT_FOUND' })
    for (const invalid of [{ role: 'king' }, { workspace_id: 'x' }])
      t.is(expectError(await add(invalid)).code, 'invalid_argument')
    const [entry] = await listActivity(pool, user_id)
    t.like(entry, { action: 'member.invited', actor_id: admin.id, workspace_id })
  })
}

test('a query for users stops at the page limit, and searches use the trigram indexes', async (t) => {
  await pool.query(`insert into users (id, email, name)
    select gen_random_uuid(), 'many' || n || '@example.com', 'Many ' || n
    from generate_series(1, 20000) n`)
  await pool.query(`insert into workspaces (id, slug, name)
    select gen_random_uuid(), 'many-' || n, 'Many ' || n from generate_series(1, 20000) n`)
  await pool.query('vacuum (analyze) users, workspaces')
  const plan = async (sql: string) => {
    const { rows } = await pool.query(`explain ${sql}`)
    return rows.map((row) => row['QUERY PLAN']).join('\n')
  }
  const page = await plan('select * from users u order by u.email limit 20 offset 40')
  t.regex(page, /Index Scan using users_email_key/)
  const people = `where ${matchesAny(['u.email', 'u.name'], "'%y1234%'")}`
  t.regex(await plan(`select count(*) from users u ${people}`), /users_search/)
  const slugs = `where ${matchesAny(['w.slug', 'w.name'], "'%y-1234%'")}`
  t.regex(await plan(`select count(*) from workspaces w ${slugs}`), /workspaces_search/)
})

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
