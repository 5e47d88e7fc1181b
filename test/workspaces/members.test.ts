import { randomUUID } from 'node:crypto'
import test from 'ava'
import type { Role } from '../../src/core/roles.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

/** Adds a member whose e-mail address does not contain the name. */
async function addMember(workspace: string, name: string, role: Role = 'viewer') {
  const id = await seed.user(name, { email: `${randomUUID()}@example.com` })
  await seed.member(workspace, id, role)
  return id
}

/** A workspace with an owner and members with these names; `find` returns names matching `q`. */
async function createFixture(transport: Transport, names: string[]) {
  const workspace = await seed.workspace()
  const owner = await addMember(workspace, 'the-owner', 'owner')
  const people: string[] = []
  for (const name of names) people.push(await addMember(workspace, name))
  const credentials = { token: await environment.token(owner, workspace) }
  const list = (query: object = {}) =>
    transport.call('ListMembers', { workspace_id: workspace, ...query }, credentials)
  const members = async (query?: object) =>
    expectOk(await list(query)).members as Record<string, any>[]
  const find = async (q: string) => (await members({ q })).map(({ name }) => name).toSorted()
  return { workspace, owner, people, credentials, list, members, find }
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test(`members are listed with profile, role, status and joined_at ${through}`, async (t) => {
    const fixture = await createFixture(transport, [])
    const avatar_url = 'https://example.com/bo.png'
    const id = await seed.user('bo', { avatar_url, is_admin: true })
    await seed.member(fixture.workspace, id, 'editor')
    const [member] = await fixture.members({ q: id })
    const { joined_at, expires_at, invitation_url, email_refusal, ...rest } = member ?? {}
    t.falsy(invitation_url)
    t.falsy(email_refusal)
    t.deepEqual(rest, {
      user_id: id,
      workspace_id: fixture.workspace,
      email: `bo-${id}@example.com`,
      name: 'bo',
      avatar_url,
      role: 'editor',
      status: 'active',
      kind: 'user',
      support: false,
      guest: false,
    })
    t.is(expires_at ?? null, null)
    t.true(Math.abs(Date.parse(joined_at) - Date.now()) < 60_000)
    if (transport.name === 'rest') t.regex(joined_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })

  test(`every role can list the members of the workspace, and only those ${through}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    await createFixture(transport, ['stranger'])
    const workspace_id = fixture.workspace
    const ids = Object.values(fixture.people).map(({ id }) => id)
    for (const { token } of Object.values(fixture.people)) {
      const { members } = expectOk(await transport.call('ListMembers', { workspace_id }, { token }))
      t.deepEqual(members.map((member: any) => member.user_id).toSorted(), ids.toSorted())
    }
  })

  test(`limit is 1 to 50 with a default of 50, in a stable order ${through}`, async (t) => {
    const fixture = await createFixture(transport, [])
    await pool.query(
      `with people as (
         insert into users (id, email, name)
         select gen_random_uuid(), 'n' || n || '-' || $2 || '@example.com', 'n' || n
         from generate_series(1, 60) n returning id)
       insert into members (user_id, workspace_id, role, joined_at)
       select id, $1, 'viewer', now() from people`,
      [fixture.workspace, randomUUID()],
    )
    const ids = async (query?: object) => (await fixture.members(query)).map((one) => one.user_id)
    const all = await ids()
    t.is(all.length, 50)
    t.is(new Set(all).size, 50)
    t.deepEqual(await ids(), all)
    // An update moves the row in the table but not in the list.
    await pool.query('update members set role = role where workspace_id = $1', [fixture.workspace])
    await pool.query('update users set name = name where id = any($1)', [all])
    for (const limit of [1, 7, 50]) t.deepEqual(await ids({ limit }), all.slice(0, limit))
    for (const limit of [0, 51, -1, 2 ** 31 - 1]) {
      const error = expectError(await fixture.list({ limit }))
      t.like(error, { code: 'invalid_argument' }, `${limit}`)
      t.deepEqual(
        error.violations.map(({ field }) => field),
        ['limit'],
      )
    }
  })

  test(`q matches anywhere in name and e-mail, case-insensitively ${through}`, async (t) => {
    const fixture = await createFixture(transport, ['Ann Marie', 'Marianne', 'Bo', 'Zoë Ångström'])
    const [ann] = fixture.people
    await pool.query('update users set email = $1 where id = $2', [
      `a.b+c-${ann}@mail.example.org`,
      ann,
    ])
    t.deepEqual(await fixture.find('mari'), ['Ann Marie', 'Marianne'])
    t.deepEqual(await fixture.find('N MAR'), ['Ann Marie', 'Marianne'])
    t.deepEqual(await fixture.find('marie ann'), ['Ann Marie'])
    t.deepEqual(await fixture.find('angstrom'), ['Zoë Ångström'])
    t.deepEqual(await fixture.find('o'), [
      'Ann Marie',
      'Bo',
      'Marianne',
      'Zoë Ångström',
      'the-owner',
    ])
    t.deepEqual(await fixture.find('ZOË Å'), ['Zoë Ångström'])
    t.deepEqual(await fixture.find(`B+C-${ann?.slice(0, 8)}`), ['Ann Marie'])
    t.deepEqual(await fixture.find('mail.example.org'), ['Ann Marie'])
    t.deepEqual(await fixture.find('nobody at all'), [])
    t.is((await fixture.members({ q: '' })).length, 5)
    t.is((await fixture.members({ q: 'a', limit: 2 })).length, 2)
  })

  test(`LIKE wildcards and SQL in q are literal ${through}`, async (t) => {
    const names = ['100%', '99', 'a_b', 'axb', 'c\\d', 'cxd', "o'hara", '%_\\']
    const fixture = await createFixture(transport, names)
    t.deepEqual(await fixture.find('%'), ['%_\\', '100%'])
    t.deepEqual(await fixture.find('0%'), ['100%'])
    t.deepEqual(await fixture.find('_'), ['%_\\', 'a_b'])
    t.deepEqual(await fixture.find('a_b'), ['a_b'])
    t.deepEqual(await fixture.find('\\'), ['%_\\', 'c\\d'])
    t.deepEqual(await fixture.find('c\\d'), ['c\\d'])
    t.deepEqual(await fixture.find('%_\\'), ['%_\\'])
    t.deepEqual(await fixture.find("o'hara"), ["o'hara"])
    for (const q of ['%%', '__', '\\\\', '?', '$1', "' or true --", '*'])
      t.deepEqual(await fixture.find(q), [], q)
  })

  test(`q is at most 100 characters long ${through}`, async (t) => {
    const fixture = await createFixture(transport, ['x'.repeat(120)])
    t.is((await fixture.find('x'.repeat(100))).length, 1)
    // Counts characters, not bytes or UTF-16 units.
    t.deepEqual(await fixture.find('😀'.repeat(100)), [])
    const error = expectError(await fixture.list({ q: 'x'.repeat(101) }))
    t.is(error.code, 'invalid_argument')
    t.deepEqual(error.violations, [{ field: 'q', message: 'must be at most 100 characters long' }])
  })

  test(`a NUL in q finds nothing or is rejected ${through}`, async (t) => {
    const fixture = await createFixture(transport, ['ann'])
    const outcome = await fixture.list({ q: 'a\u0000' })
    if (outcome.ok) t.deepEqual(outcome.message.members, [])
    else t.is(outcome.code, 'invalid_argument')
  })

  test(`the name of an invited user is neither listed nor searchable; the e-mail address is ${through}`, async (t) => {
    const fixture = await createFixture(transport, [])
    const secret = `secret-${randomUUID()}`
    const email = `guest-${randomUUID()}@example.com`
    const picture = { name: secret, avatar_url: 'https://example.com/secret.png' }
    const id = await seed.user('guest', { email, ...picture })
    await pool.query(
      `insert into members (workspace_id, user_id, role) values ($1, $2, 'viewer')`,
      [...[fixture.workspace, id]],
    )
    t.deepEqual(await fixture.members({ q: secret }), [])
    const [guest] = await fixture.members({ q: email.slice(2, 20) })
    t.like(guest, { email, name: '', avatar_url: '', status: 'invited' })
    t.is(guest?.joined_at ?? null, null)
    await pool.query('update members set joined_at = now() where user_id = $1', [id])
    t.like((await fixture.members({ q: secret }))[0], { email, ...picture, status: 'active' })
  })
}

test('both member lists share a limit of 60 calls per minute and client across transports', async (t) => {
  const { transports } = await environment.addNode({ RATE_LIMIT_PER_MINUTE: 1000 })
  const [first] = transports
  if (!first) throw new Error('no transport')
  const fixture = await createWorkspaceFixture(environment, first)
  const { token } = fixture.people.viewer
  const scope = { workspace_id: fixture.workspace }
  const group_id = await seed.group(fixture.workspace)
  const lists = { ListMembers: scope, ListGroupMembers: { ...scope, group_id } }
  for (const [method, message] of Object.entries(lists)) {
    for (const transport of transports) {
      for (let n = 0; n < 30; n += 1) expectOk(await transport.call(method, message, { token }))
    }
    for (const transport of transports) {
      const error = expectError(await transport.call(method, message, { token }))
      t.is(error.code, 'resource_exhausted')
      t.true((error.retryAfter ?? 0) >= 1)
    }
  }
})
