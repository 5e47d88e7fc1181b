import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sweepDeleted } from '../../src/database/sweep-deleted.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

/**
 * Counts the rows that contain the ID, by table and column. Excludes the tables that retain IDs: the
 * activity log, the changes that caches read, which are retained for two minutes, and those that streams
 * of access keys read, for a day.
 */
async function countRowsWith(id: string): Promise<Record<string, number>> {
  const { rows: columns } = await pool.query(
    `select c.table_name, c.column_name from information_schema.columns c
     join information_schema.tables t using (table_schema, table_name)
     where table_schema = 'public' and t.table_type = 'BASE TABLE' and c.data_type = 'uuid'
       and c.table_name not in ('activity', 'access_changes', 'resource_changes')`,
  )
  const found: Record<string, number> = {}
  for (const { table_name, column_name } of columns) {
    const sql = `select count(*)::int n from ${table_name} where ${column_name} = $1`
    const { n } = (await pool.query(sql, [id])).rows[0]
    if (n > 0) found[`${table_name}.${column_name}`] = n
  }
  return found
}

/** Creates a fixture with a user, a group and a role that every kind of row references. */
async function createConnectedFixture() {
  const [transport] = environment.transports
  if (!transport) throw new Error('no transport')
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service, people } = fixture
  const person = await fixture.addMember('viewer')
  const group = await seed.group(workspace, [person.id, people.editor.id])
  await pool.query('update groups set created_by = $1 where id = $2', [person.id, group])
  const action = await seed.serviceAction(service, 'publish')
  const role = await seed.customRole(workspace, [action], [person.id])
  const own = await fixture.register(person)
  const other = await fixture.register(people.owner)
  await fixture.share(person, own, { user: people.editor.id }, 'view')
  await fixture.share(people.owner, other, { user: person.id }, 'edit')
  await fixture.share(people.owner, other, { group }, 'view')
  await pool.query(
    `insert into linked_accounts (provider, subject, user_id, email) values ('x', $1::uuid::text, $1, 'e')`,
    [person.id],
  )
  const family = randomUUID()
  await pool.query(
    `insert into refresh_families
       (id, user_id, workspace_id, provider, created_at, last_used_at, expires_at)
     values ($1, $2, $3, 'x', now(), now(), now() + interval '1 day')`,
    [family, person.id, workspace],
  )
  await pool.query(
    `insert into refresh_tokens (token_id, family_id, access_token_id, access_expires_at)
     values (gen_random_uuid(), $1, gen_random_uuid(), now())`,
    [family],
  )
  await pool.query(
    `insert into authorization_codes
       (code_hash, user_id, provider, code_challenge, expires_at, family_id)
     values ($1, $2, 'x', 'x', now() + interval '1 hour', $3)`,
    [randomUUID(), person.id, family],
  )
  return { fixture, transport, person, group, role, action, own, other, family }
}

test('deleting a user deletes all related rows, and reusing the ID grants nothing', async (t) => {
  const { fixture, person, own, other, family } = await createConnectedFixture()
  t.true(Object.keys(await countRowsWith(person.id)).length >= 9)
  await pool.query('delete from users where id = $1', [person.id])
  t.deepEqual(await countRowsWith(person.id), {})
  t.deepEqual(await countRowsWith(own.resource_id), {})
  t.deepEqual(await countRowsWith(family), {})
  t.is((await fixture.readResource(other)).shares.length, 1)

  const email = `${randomUUID()}@example.com`
  await pool.query('insert into users (id, email) values ($1, $2)', [person.id, email])
  await seed.member(fixture.workspace, person.id, 'viewer')
  for (const action of ['view', 'edit', 'publish']) {
    t.false(await fixture.isAllowed(person, action, own))
    t.false(await fixture.isAllowed(person, action, other))
  }
})

test('deleting a group deletes all related rows, and reusing the ID grants nothing', async (t) => {
  const { fixture, group, other } = await createConnectedFixture()
  const { editor } = fixture.people
  t.true(await fixture.isAllowed(editor, 'view', other))
  await pool.query('delete from groups where id = $1', [group])
  t.deepEqual(await countRowsWith(group), {})
  t.false(await fixture.isAllowed(editor, 'view', other))

  await pool.query(`insert into groups (id, workspace_id, name) values ($1, $2, 'again')`, [
    group,
    fixture.workspace,
  ])
  await pool.query(
    'insert into group_members (group_id, user_id, workspace_id) values ($1, $2, $3)',
    [group, editor.id, fixture.workspace],
  )
  t.false(await fixture.isAllowed(editor, 'view', other))
})

test('deleting a custom role deletes all related rows, and reusing the ID grants nothing', async (t) => {
  const { fixture, role, person, other } = await createConnectedFixture()
  t.true(await fixture.isAllowed(person, 'publish', other))
  await pool.query('delete from custom_roles where id = $1', [role])
  t.deepEqual(await countRowsWith(role), {})
  t.false(await fixture.isAllowed(person, 'publish', other))

  await pool.query(`insert into custom_roles (id, workspace_id, name) values ($1, $2, 'again')`, [
    role,
    fixture.workspace,
  ])
  t.false(await fixture.isAllowed(person, 'publish', other))
})

test('deleting a service action removes it from every role', async (t) => {
  const { fixture, action, person, other } = await createConnectedFixture()
  await pool.query('delete from service_actions where id = $1', [action])
  t.deepEqual(await countRowsWith(action), {})
  t.false(await fixture.isAllowed(person, 'publish', other))
})

test('deleting a workspace deletes all related rows, and reusing the ID grants nothing', async (t) => {
  const { fixture, transport, group, role, own, other, person } = await createConnectedFixture()
  const { workspace, people } = fixture
  await pool.query('delete from workspaces where id = $1', [workspace])
  while (await sweepDeleted(environment.database));
  for (const id of [workspace, group, role, own.id, other.id, own.resource_id, other.resource_id])
    t.deepEqual(await countRowsWith(id), {})
  t.deepEqual(Object.keys(await countRowsWith(person.id)).toSorted(), [
    'authorization_codes.user_id',
    'linked_accounts.user_id',
    'users.id',
  ])
  const ended = { ok: false, code: 'unauthenticated', reason: 'TOKEN_REVOKED' } as const
  const { token } = people.owner
  t.like(await transport.call('GetMe', {}, { token }), ended)

  const slug = `again-${randomUUID()}`
  await pool.query(`insert into workspaces (id, name, slug) values ($1, 'x', $2)`, [
    workspace,
    slug,
  ])
  t.like(await transport.call('GetMe', {}, { token }), ended)
  await seed.member(workspace, people.owner.id, 'owner')
  t.false(await fixture.isAllowed(people.owner, 'view', other))
})

test('leaving a workspace permanently deletes group and role memberships, direct shares and sessions', async (t) => {
  const { fixture, group, role, person, other } = await createConnectedFixture()
  const { workspace } = fixture
  await pool.query('delete from members where user_id = $1 and workspace_id = $2', [
    person.id,
    workspace,
  ])
  const remaining = await countRowsWith(person.id)
  const ofMembership = ['members', 'group_members', 'custom_role_members', 'refresh_families']
  for (const table of ofMembership) t.is(remaining[`${table}.user_id`], undefined, table)
  t.is(remaining['shares.user_id'], undefined)
  t.deepEqual(Object.keys(await countRowsWith(group)).toSorted(), [
    'group_members.group_id',
    'groups.id',
    'shares.group_id',
  ])
  t.true(Object.keys(await countRowsWith(role)).length > 0)

  await seed.member(workspace, person.id, 'viewer')
  for (const action of ['view', 'edit', 'publish'])
    t.false(await fixture.isAllowed(person, action, other))
})

test('unregistering a resource deletes all related rows', async (t) => {
  const { fixture, transport, other } = await createConnectedFixture()
  expectOk(await transport.call('Unregister', { permission_id: other.id }, { key: fixture.key }))
  for (const id of [other.id, other.resource_id]) t.deepEqual(await countRowsWith(id), {})
})

test('deleting a service app deletes its keys', async (t) => {
  const { fixture, transport } = await createConnectedFixture()
  await seed.serviceApp('another')
  await pool.query('delete from service_apps where id = $1', [fixture.appId])
  t.deepEqual(await countRowsWith(fixture.appId), {})
  const message = { ...fixture.kind, resource_id: randomUUID() }
  t.like(await transport.call('GetResource', message, { key: fixture.key }), {
    ok: false,
    code: 'unauthenticated',
  })
})
