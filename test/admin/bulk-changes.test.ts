import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

async function createMembers(workspace: string, count: number): Promise<string[]> {
  const ids = await Promise.all(Array.from({ length: count }, () => seed.user('member')))
  for (const id of ids) await seed.member(workspace, id, 'viewer')
  return ids
}

async function rolesOf(workspace: string): Promise<Record<string, string>> {
  const sql = 'select user_id, role from members where workspace_id = $1'
  const { rows } = await pool.query(sql, [workspace])
  return Object.fromEntries(rows.map(({ user_id, role }) => [user_id, role]))
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`
  const call = (method: string, message: object) => admin.call(transport, method, message)

  test(`members change together, and what fails is listed ${over}`, async (t) => {
    const { workspace: workspace_id, people } = await createWorkspaceFixture(environment, transport)
    const [first = '', second = ''] = await createMembers(workspace_id, 2)
    const [owner, stranger] = [people.owner.id, randomUUID()]
    const user_ids = [first, owner, stranger, second, first]
    const message = { workspace_id, user_ids, role: 'editor' }
    const { failures } = expectOk(await call('UpdateMembers', message))
    t.deepEqual(
      failures.map(({ id, code, reason }: any) => [id, code, reason]),
      [
        [owner, 'already_exists', 'LAST_OWNER'],
        [stranger, 'not_found', 'MEMBER_NOT_FOUND'],
      ],
    )
    t.regex(failures[0].message, /Make another member an owner first/)
    t.like(await rolesOf(workspace_id), { [first]: 'editor', [second]: 'editor', [owner]: 'owner' })
    const removal = { workspace_id, user_ids: [first, second], remove: true }
    t.deepEqual(expectOk(await call('UpdateMembers', removal)).failures, [])
    t.false(first in (await rolesOf(workspace_id)))
  })

  test(`an admin of a workspace changes its members together ${over}`, async (t) => {
    const { workspace: workspace_id, people } = await createWorkspaceFixture(environment, transport)
    const user_ids = [...(await createMembers(workspace_id, 1)), people.owner.id]
    const message = { workspace_id, user_ids, remove: true }
    const callAs = (token: string) =>
      transport.call('WorkspaceService/UpdateMembers', message, { token })
    t.is(expectError(await callAs(people.editor.token)).code, 'permission_denied')
    const { failures } = expectOk(await callAs(people.admin.token))
    t.deepEqual(
      failures.map(({ id, reason }: any) => [id, reason]),
      [[people.owner.id, 'ROLE_TOO_LOW']],
    )
  })

  test(`users change together, and what fails is listed ${over}`, async (t) => {
    const [workspace_id, id] = [await seed.workspace(), await seed.user()]
    const user_ids = [id, admin.id]
    const { failures } = expectOk(await call('UpdateUsers', { user_ids, is_active: false }))
    t.deepEqual(
      failures.map(({ id, reason }: any) => [id, reason]),
      [[admin.id, 'OWN_ACCOUNT']],
    )
    t.false(expectOk(await call('GetUser', { user_id: id })).is_active)
    const addition = { user_ids: [id], workspace_id, role: 'editor' }
    t.deepEqual(expectOk(await call('AddMembers', addition)).failures, [])
    t.deepEqual(await rolesOf(workspace_id), { [id]: 'editor' })
  })

  test(`a change of many is exactly one change, of at most 500 ${over}`, async (t) => {
    const [workspace_id, id] = [await seed.workspace(), await seed.user()]
    const refused = [
      { user_ids: [id] },
      { user_ids: [], is_active: true },
      { user_ids: Array.from({ length: 501 }, randomUUID), is_active: true },
      { user_ids: ['none'], is_active: true },
    ]
    for (const message of refused)
      t.is(expectError(await call('UpdateUsers', message)).code, 'invalid_argument')
    for (const change of [{}, { role: 'viewer', remove: true }, { role: 'boss' }]) {
      const outcome = await call('UpdateMembers', { workspace_id, user_ids: [id], ...change })
      t.is(expectError(outcome).code, 'invalid_argument')
    }
  })
}

/** Makes a statement of a change fail, after other statements of it. */
async function failFor(id: string, code: string): Promise<() => Promise<unknown>> {
  await pool.query(`
    create function fail_for_test() returns trigger language plpgsql as $$ begin
      if new.target_id = '${id}' then raise exception using errcode = '${code}'; end if;
      return new;
    end $$;
    create trigger fail_for_test before insert on activity
      for each row execute function fail_for_test()`)
  return () => pool.query('drop function fail_for_test cascade')
}

test.serial(
  'what changes together shares few transactions, and each event is recorded once',
  async (t) => {
    const workspace_id = await seed.workspace()
    const user_ids = await createMembers(workspace_id, 60)
    const missing = randomUUID()
    const message = { workspace_id, user_ids: [...user_ids, missing], role: 'editor' }
    const [transport] = environment.transports as [Transport]
    const { failures } = expectOk(await admin.call(transport, 'UpdateMembers', message))
    t.deepEqual(
      failures.map(({ id }: any) => id),
      [missing],
    )
    const { rows } = await pool.query(
      'select target_id, xid::text as transaction from activity where workspace_id = $1',
      [workspace_id],
    )
    t.deepEqual(rows.map(({ target_id }) => target_id).sort(), [...user_ids].sort())
    t.is(new Set(rows.map(({ transaction }) => transaction)).size, 3)
  },
)

test.serial(
  'a change that fails leaves nothing of itself, and a deadlock repeats its group',
  async (t) => {
    const workspace_id = await seed.workspace()
    const user_ids = (await createMembers(workspace_id, 30)).sort()
    const [transport] = environment.transports as [Transport]
    const removeFailure = await failFor(user_ids[27] as string, '40P01')
    const message = { workspace_id, user_ids, role: 'editor' }
    const outcome = await admin.call(transport, 'UpdateMembers', message)
    await removeFailure()
    t.is(expectError(outcome).code, 'unavailable')
    t.is(environment.failures.splice(0).length, 1)
    const roles = await rolesOf(workspace_id)
    t.deepEqual(
      user_ids.filter((id) => roles[id] === 'editor'),
      user_ids.slice(0, 25),
    )
    const { rows } = await pool.query('select target_id from activity where workspace_id = $1', [
      workspace_id,
    ])
    t.deepEqual(rows.map(({ target_id }) => target_id).sort(), user_ids.slice(0, 25))
  },
)

test('500 members change in one call', async (t) => {
  const workspace_id = await seed.workspace()
  const user_ids = await createMembers(workspace_id, 500)
  const [transport] = environment.transports as [Transport]
  const message = { workspace_id, user_ids, role: 'editor' }
  t.deepEqual(expectOk(await admin.call(transport, 'UpdateMembers', message)).failures, [])
  t.deepEqual(new Set(Object.values(await rolesOf(workspace_id))), new Set(['editor']))
})

test.after('no internal errors occurred', (t) => t.deepEqual([...environment.failures], []))

test.serial(
  '500 users are added in one call, without their memberships in the response',
  async (t) => {
    const [workspace_id, other] = [await seed.workspace(), await seed.workspace()]
    const user_ids = await seed.newMembers(other, Array(500).fill('viewer'))
    const [transport] = environment.transports as [Transport]
    const message = { workspace_id, user_ids, role: 'editor' }
    t.deepEqual(expectOk(await admin.call(transport, 'AddMembers', message)), { failures: [] })
    t.deepEqual(
      await rolesOf(workspace_id),
      Object.fromEntries(user_ids.map((id) => [id, 'editor'])),
    )
  },
)
