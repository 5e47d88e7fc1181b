import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome } from '../support/transports.ts'

const environment = await startTestEnvironment({ RATE_LIMIT_PER_MINUTE: 1000 })
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

/**
 * A workspace with two owners and three other members, one of whom is only invited. E-mail addresses
 * sort differently from names, and IDs differently from both.
 */
async function createWorkspace() {
  const workspace = await seed.workspace()
  const add = async (email: string, name: string, role: string, isJoined = true) => {
    const id = await seed.user(name, { email: `${email}-${workspace}@example.com` })
    await pool.query(
      `insert into members (workspace_id, user_id, role, joined_at)
       values ($1, $2, $3, case when $4 then now() end)`,
      [workspace, id, role, isJoined],
    )
    return id
  }
  const members = {
    zoe: await add('z', 'Zoe', 'viewer'),
    invited: await add('m', 'Aaron', 'viewer', false),
    bo: await add('y', 'bo', 'owner'),
    carl: await add('c', 'Carl', 'editor'),
    nameless: await add('a', '', 'owner'),
  }
  const group = await seed.group(workspace)
  for (const user of Object.values(members)) {
    await pool.query(
      'insert into group_members (group_id, user_id, workspace_id) values ($1, $2, $3)',
      [group, user, workspace],
    )
  }
  return { workspace, members, group, token: await environment.token(members.bo, workspace) }
}

type List = { total: number | undefined; items: Record<string, any>[] }

function readList(outcome: Outcome, field: string): List {
  const { total, ...rest } = expectOk(outcome)
  return { total: total === undefined ? undefined : Number(total), items: rest[field] }
}

for (const transport of environment.transports) {
  const through = `over ${transport.label}`

  async function list(method: string, token: string, message: object, field = 'members') {
    return readList(await transport.call(method, message, { token }), field)
  }
  async function listAsAdmin(method: string, message: object, field = 'members') {
    return readList(await admin.call(transport, method, message), field)
  }
  const ids = ({ items }: { items: Record<string, any>[] }) => items.map(({ user_id }) => user_id)

  test(`members are paged with owners first, then by the name that is shown ${through}`, async (t) => {
    const { workspace: workspace_id, members, token } = await createWorkspace()
    const { zoe, invited, bo, carl, nameless } = members
    const read = (message: object) => list('ListMembers', token, { workspace_id, ...message })
    const all = [nameless, bo, carl, invited, zoe]
    t.deepEqual(ids(await read({ page: 1 })), all)
    t.deepEqual(ids(await read({ page: 1, page_size: 2 })), all.slice(0, 2))
    const third = await read({ page: 3, page_size: 2 })
    t.deepEqual(ids(third), all.slice(4))
    t.is(third.total, 5)
    const beyond = await read({ page: 4, page_size: 2 })
    t.deepEqual(beyond, { items: [], total: 5 })
  })

  test(`members are filtered by role and text, on pages and without ${through}`, async (t) => {
    const { workspace: workspace_id, members, token } = await createWorkspace()
    const read = (message: object) => list('ListMembers', token, { workspace_id, ...message })
    const owners = [members.bo, members.nameless]
    t.deepEqual(ids(await read({ role: 'owner' })).toSorted(), owners.toSorted())
    t.deepEqual(await read({ page: 1, role: 'admin' }), { items: [], total: 0 })
    const viewers = await read({ page: 1, page_size: 1, role: 'viewer' })
    t.deepEqual(ids(viewers), [members.invited])
    t.is(viewers.total, 2)
    t.deepEqual(ids(await read({ page: 1, role: 'viewer', q: 'ZO' })), [members.zoe])
    const hidden = await read({ page: 1, q: 'aaron' })
    t.deepEqual(hidden, { items: [], total: 0 }, 'the name of an invited user is not searchable')
  })

  test(`without page, members are ordered by ID without a total ${through}`, async (t) => {
    const { workspace: workspace_id, members, token } = await createWorkspace()
    const listed = await list('ListMembers', token, { workspace_id, page_size: 1 })
    t.deepEqual(ids(listed), Object.values(members).toSorted())
    t.is(listed.total, undefined)
  })

  test(`groups are paged by name and searched ${through}`, async (t) => {
    const { workspace: workspace_id, token } = await createWorkspace()
    await pool.query(
      `insert into groups (id, workspace_id, name)
       select gen_random_uuid(), $1, 'team_' || to_char(n, 'FM000') from generate_series(1, 45) n`,
      [workspace_id],
    )
    const read = (message: object) =>
      list('ListGroups', token, { workspace_id, ...message }, 'groups')
    const names = ({ items }: { items: Record<string, any>[] }) => items.map(({ name }) => name)
    const third = await read({ page: 3, q: 'TEAM_' })
    t.is(third.total, 45)
    t.deepEqual(names(third), ['team_041', 'team_042', 'team_043', 'team_044', 'team_045'])
    t.deepEqual(names(await read({ q: '_007' })), ['team_007'])
    t.is((await read({})).items.length, 46)
    t.deepEqual(await read({ page: 1, q: '%' }), { items: [], total: 0 })
  })

  test(`members of a group are paged by name and searched ${through}`, async (t) => {
    const { workspace: workspace_id, members, group, token } = await createWorkspace()
    const parent = await seed.group(workspace_id)
    const link = { workspace_id, group_id: parent, child_id: group }
    expectOk(await transport.call('AddChildGroup', link, { token }))
    const { zoe, invited, bo, carl, nameless } = members
    const byName = [nameless, bo, carl, invited, zoe]
    for (const scope of [{ group_id: group }, { group_id: parent, effective: true }]) {
      const read = async (message: object) => {
        const outcome = await transport.call(
          'ListGroupMembers',
          { workspace_id, ...scope, ...message },
          { token },
        )
        const { members: items, total } = expectOk(outcome)
        return { items, total: total === undefined ? undefined : Number(total) }
      }
      t.deepEqual(ids(await read({ page: 1 })), byName)
      const second = await read({ page: 2, page_size: 3 })
      t.deepEqual(ids(second), byName.slice(3))
      t.is(second.total, 5)
      t.deepEqual(ids(await read({})), byName.toSorted())
      t.deepEqual(ids(await read({ page: 1, q: 'car' })), [carl])
      t.deepEqual(ids(await read({ q: 'aaron' })), [])
    }
    t.deepEqual(
      (await list('ListGroupMembers', token, { group_id: parent, workspace_id })).items,
      [],
    )
  })

  test(`administrators see and find the names of invited members ${through}`, async (t) => {
    const { workspace: workspace_id, members, group: group_id } = await createWorkspace()
    const { zoe, invited, bo, carl, nameless } = members
    const role_id = await seed.customRole(workspace_id, [], Object.values(members))
    const first = await listAsAdmin('ListMembers', { workspace_id, page: 1 })
    t.deepEqual(ids(first), [nameless, bo, invited, carl, zoe])
    t.is(first.items[2]?.name, 'Aaron')
    const lists = {
      ListMembers: { workspace_id },
      ListGroupMembers: { group_id },
      ListRoleMembers: { role_id },
    }
    for (const [method, scope] of Object.entries(lists)) {
      for (const paging of [{}, { page: 1 }]) {
        const { items } = await listAsAdmin(method, { ...scope, ...paging, q: 'AARON' })
        t.like(items, [{ user_id: invited, name: 'Aaron' }], method)
      }
    }
  })

  test(`custom roles and their members are paged by name and searched ${through}`, async (t) => {
    const { workspace: workspace_id, members } = await createWorkspace()
    const { zoe, invited, bo, carl, nameless } = members
    await pool.query(
      `insert into custom_roles (id, workspace_id, name)
       select gen_random_uuid(), $1, 'role_' || to_char(n, 'FM000') from generate_series(1, 45) n`,
      [workspace_id],
    )
    const role_id = await seed.customRole(workspace_id, [], Object.values(members))
    const read = (message: object) =>
      listAsAdmin('ListRoles', { workspace_id, ...message }, 'roles')
    const third = await read({ page: 3, q: 'ROLE_' })
    t.is(third.total, 45)
    const names = third.items.map(({ name }) => name)
    t.deepEqual(names, ['role_041', 'role_042', 'role_043', 'role_044', 'role_045'])
    const all = await read({})
    t.is(all.items.length, 46)
    t.is(all.total, undefined)
    const readMembers = (message: object) => listAsAdmin('ListRoleMembers', { role_id, ...message })
    t.deepEqual(ids(await readMembers({ page: 1 })), [nameless, invited, bo, carl, zoe])
    const second = await readMembers({ page: 2, page_size: 3 })
    t.deepEqual(ids(second), [carl, zoe])
    t.is(second.total, 5)
    t.deepEqual(ids(await readMembers({})), Object.values(members).toSorted())
    const unknown = { role_id: randomUUID(), page: 1 }
    t.is(expectError(await admin.call(transport, 'ListRoleMembers', unknown)).code, 'not_found')
  })

  test(`pages and page sizes out of range are rejected, with page and without ${through}`, async (t) => {
    const { workspace: workspace_id, group: group_id, token } = await createWorkspace()
    const lists = {
      ListMembers: { workspace_id },
      ListGroups: { workspace_id },
      ListGroupMembers: { workspace_id, group_id },
    }
    for (const [method, scope] of Object.entries(lists)) {
      for (const [field, value] of Object.entries({ page: 0, page_size: 101 })) {
        const outcome = await transport.call(method, { ...scope, [field]: value }, { token })
        const error = expectError(outcome)
        t.is(error.code, 'invalid_argument', method)
        t.deepEqual(
          error.violations.map((violation) => violation.field),
          [field],
        )
      }
    }
    const outcome = await transport.call('ListMembers', { workspace_id, role: 'boss' }, { token })
    t.is(expectError(outcome).violations[0]?.field, 'role')
  })

  test(`pages of an unknown workspace or group are not found ${through}`, async (t) => {
    const unknown = { workspace_id: randomUUID(), group_id: randomUUID(), page: 1 }
    const call = (method: string, { group_id, workspace_id, page }: typeof unknown) => {
      const scope = method === 'ListGroupMembers' ? { group_id } : { workspace_id }
      return admin.call(transport, method, { ...scope, page })
    }
    for (const method of ['ListMembers', 'ListGroups', 'ListGroupMembers', 'ListRoles']) {
      t.is(expectError(await call(method, unknown)).code, 'not_found', method)
    }
  })
}
