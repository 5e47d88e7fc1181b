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

/** A member whose e-mail says nothing of the name. */
async function addMember(workspace: string, name: string, role: Role = 'viewer') {
  const id = await seed.user(name, { email: `${randomUUID()}@example.com` })
  await seed.member(workspace, id, role)
  return id
}

/** A workspace with an owner and people of these names; `find` answers names by `q`. */
async function openRoom(transport: Transport, names: string[]) {
  const workspace = await seed.workspace()
  const owner = await addMember(workspace, 'the-owner', 'owner')
  const people: string[] = []
  for (const name of names) people.push(await addMember(workspace, name))
  const shown = { token: await environment.token(owner, workspace) }
  const list = (query: object = {}) =>
    transport.call('ListMembers', { workspace_id: workspace, ...query }, shown)
  const members = async (query?: object) =>
    expectOk(await list(query)).members as Record<string, any>[]
  const find = async (q: string) => (await members({ q })).map(({ name }) => name).toSorted()
  return { workspace, owner, people, shown, list, members, find }
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  test(`a member is listed with person, role, status and joined_at ${through}`, async (t) => {
    const room = await openRoom(transport, [])
    const avatar_url = 'https://example.com/bo.png'
    const id = await seed.user('bo', { avatar_url, is_admin: true })
    await seed.member(room.workspace, id, 'editor')
    const [member] = await room.members({ q: id })
    const { joined_at, ...rest } = member ?? {}
    t.deepEqual(rest, {
      user_id: id,
      workspace_id: room.workspace,
      email: `bo-${id}@example.com`,
      name: 'bo',
      avatar_url,
      role: 'editor',
      status: 'active',
    })
    t.true(Math.abs(Date.parse(joined_at) - Date.now()) < 60_000)
    if (transport.name === 'rest') t.regex(joined_at, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
  })

  test(`any role lists the members, and no other workspace’s ${through}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    await openRoom(transport, ['stranger'])
    const workspace_id = fixture.workspace
    const ids = Object.values(fixture.people).map(({ id }) => id)
    for (const { token } of Object.values(fixture.people)) {
      const { members } = expectOk(await transport.call('ListMembers', { workspace_id }, { token }))
      t.deepEqual(members.map((member: any) => member.user_id).toSorted(), ids.toSorted())
    }
  })

  test(`limit cuts a stable order at 1 to 50, at 50 when it is absent ${through}`, async (t) => {
    const room = await openRoom(transport, [])
    await pool.query(
      `with people as (
         insert into users (id, email, name)
         select gen_random_uuid(), 'n' || n || '-' || $2 || '@example.com', 'n' || n
         from generate_series(1, 60) n returning id)
       insert into members (user_id, workspace_id, role, joined_at)
       select id, $1, 'viewer', now() from people`,
      [room.workspace, randomUUID()],
    )
    const ids = async (query?: object) => (await room.members(query)).map((one) => one.user_id)
    const all = await ids()
    t.is(all.length, 50)
    t.is(new Set(all).size, 50)
    t.deepEqual(await ids(), all)
    // A row that is written again moves in the table; the list does not follow.
    await pool.query('update members set role = role where workspace_id = $1', [room.workspace])
    await pool.query('update users set name = name where id = any($1)', [all])
    for (const limit of [1, 7, 50]) t.deepEqual(await ids({ limit }), all.slice(0, limit))
    for (const limit of [0, 51, -1, 2 ** 31 - 1]) {
      const fault = expectError(await room.list({ limit }))
      t.like(fault, { code: 'invalid_argument' }, `${limit}`)
      t.deepEqual(
        fault.violations.map(({ field }) => field),
        ['limit'],
      )
    }
  })

  test(`q finds text anywhere in name or e-mail, whatever its case ${through}`, async (t) => {
    const room = await openRoom(transport, ['Ann Marie', 'Marianne', 'Bo', 'Zoë Ångström'])
    const [ann] = room.people
    await pool.query('update users set email = $1 where id = $2', [
      ...[`a.b+c-${ann}@mail.example.org`, ann],
    ])
    t.deepEqual(await room.find('mari'), ['Ann Marie', 'Marianne'])
    t.deepEqual(await room.find('N MAR'), ['Ann Marie'])
    t.deepEqual(await room.find('o'), ['Ann Marie', 'Bo', 'Marianne', 'Zoë Ångström', 'the-owner'])
    t.deepEqual(await room.find('ZOË Å'), ['Zoë Ångström'])
    t.deepEqual(await room.find(`B+C-${ann?.slice(0, 8)}`), ['Ann Marie'])
    t.deepEqual(await room.find('mail.example.org'), ['Ann Marie'])
    t.deepEqual(await room.find('nobody at all'), [])
    t.is((await room.members({ q: '' })).length, 5)
    t.is((await room.members({ q: 'a', limit: 2 })).length, 2)
  })

  test(`LIKE wildcards and SQL in q are text ${through}`, async (t) => {
    const names = ['100%', '99', 'a_b', 'axb', 'c\\d', 'cxd', "o'hara", '%_\\']
    const room = await openRoom(transport, names)
    t.deepEqual(await room.find('%'), ['%_\\', '100%'])
    t.deepEqual(await room.find('0%'), ['100%'])
    t.deepEqual(await room.find('_'), ['%_\\', 'a_b'])
    t.deepEqual(await room.find('a_b'), ['a_b'])
    t.deepEqual(await room.find('\\'), ['%_\\', 'c\\d'])
    t.deepEqual(await room.find('c\\d'), ['c\\d'])
    t.deepEqual(await room.find('%_\\'), ['%_\\'])
    t.deepEqual(await room.find("o'hara"), ["o'hara"])
    for (const q of ['%%', '__', '\\\\', '?', '$1', "' or true --", '*'])
      t.deepEqual(await room.find(q), [], q)
  })

  test(`q has 100 characters at most ${through}`, async (t) => {
    const room = await openRoom(transport, ['x'.repeat(120)])
    t.is((await room.find('x'.repeat(100))).length, 1)
    // Characters, not bytes or UTF-16 units.
    t.deepEqual(await room.find('𝕏'.repeat(100)), [])
    const fault = expectError(await room.list({ q: 'x'.repeat(101) }))
    t.is(fault.code, 'invalid_argument')
    t.deepEqual(fault.violations, [{ field: 'q', message: 'must be at most 100 characters long' }])
  })

  test(`a NUL in q finds nothing or is refused, and breaks nothing ${through}`, async (t) => {
    const room = await openRoom(transport, ['ann'])
    const ending = await room.list({ q: 'a\u0000' })
    if (ending.ok) t.deepEqual(ending.message.members, [])
    else t.is(ending.code, 'invalid_argument')
  })

  test(`an invited person’s name is neither shown nor found, the e-mail is ${through}`, async (t) => {
    const room = await openRoom(transport, [])
    const secret = `secret-${randomUUID()}`
    const email = `guest-${randomUUID()}@example.com`
    const picture = { name: secret, avatar_url: 'https://example.com/secret.png' }
    const id = await seed.user('guest', { email, ...picture })
    await pool.query(
      `insert into members (workspace_id, user_id, role) values ($1, $2, 'viewer')`,
      [...[room.workspace, id]],
    )
    t.deepEqual(await room.members({ q: secret }), [])
    const [guest] = await room.members({ q: email.slice(2, 20) })
    t.like(guest, { email, name: '', avatar_url: '', status: 'invited' })
    t.is(guest?.joined_at ?? null, null)
    await pool.query('update members set joined_at = now() where user_id = $1', [id])
    t.like((await room.members({ q: secret }))[0], { email, ...picture, status: 'active' })
  })
}

test('both member lists take 60 calls a minute of one client, over both transports', async (t) => {
  const { transports } = await environment.addNode({ globalLimit: 1000 })
  const [first] = transports
  if (!first) throw new Error('no transport')
  const fixture = await createWorkspaceFixture(environment, first)
  const { token } = fixture.people.viewer
  const place = { workspace_id: fixture.workspace }
  const group_id = await seed.group(fixture.workspace)
  const lists = { ListMembers: place, ListGroupMembers: { ...place, group_id } }
  for (const [method, message] of Object.entries(lists)) {
    for (const transport of transports) {
      for (let n = 0; n < 30; n += 1) expectOk(await transport.call(method, message, { token }))
    }
    for (const transport of transports) {
      const fault = expectError(await transport.call(method, message, { token }))
      t.is(fault.code, 'resource_exhausted')
      t.true((fault.retryAfter ?? 0) >= 1)
    }
  }
})
