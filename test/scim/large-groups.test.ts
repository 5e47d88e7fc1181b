import { randomUUID } from 'node:crypto'
import test from 'ava'
import { maxListedMembers } from '../../src/scim/groups.ts'
import { maxListedGroups } from '../../src/scim/users.ts'
import { createDirectory, type Directory } from '../support/scim.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

/** Provisions people in SQL, and puts them into new groups of these sizes. Returns the groups' IDs. */
async function seedGroups({ workspace, domain }: Directory, sizes: number[]): Promise<string[]> {
  const count = Math.max(...sizes)
  await pool.query(
    `with people as (
       insert into users (id, email, name)
       select gen_random_uuid(), 'p' || n || '@' || $2, 'p' || n from generate_series(1, $3::int) n
       returning id, email
     ), provisioned as (
       insert into scim_users (user_id, workspace_id, user_name, attributes, is_active, created_at, updated_at)
       select id, $1, email, '{}', true, now(), now() from people
     )
     insert into members (user_id, workspace_id, role, joined_at)
     select id, $1, 'viewer', now() from people`,
    [workspace, domain, count],
  )
  const ids: string[] = []
  for (const size of sizes) {
    const id = await seed.group(workspace)
    for (const table of ['scim_group_members', 'group_members'])
      await pool.query(
        `insert into ${table} (group_id, user_id, workspace_id)
         select $1, user_id, workspace_id from scim_users where workspace_id = $2
         order by user_id limit $3`,
        [id, workspace, size],
      )
    ids.push(id)
  }
  return ids.sort()
}

const countMembers = (groups: { members?: unknown[] }[]) =>
  groups.map(({ members = [] }) => members.length)

test('a page of groups ends before it contains too many members', async (t) => {
  const directory = await createDirectory(environment)
  const size = Math.floor(maxListedMembers / 3)
  const ids = await seedGroups(directory, [size, size, size, size, 0, size, 1, size, size])
  const found: { id: string; members?: unknown[] }[] = []
  for (;;) {
    const path = `/Groups?startIndex=${found.length + 1}&count=200`
    const { status, body } = await directory.send('GET', path)
    t.is(status, 200)
    t.is(body.totalResults, ids.length)
    t.is(body.itemsPerPage, body.Resources.length)
    if (body.Resources.length === 0) break
    const total = countMembers(body.Resources).reduce((sum, count) => sum + count, 0)
    t.true(total <= maxListedMembers, `${total} members`)
    found.push(...body.Resources)
  }
  t.deepEqual(
    found.map(({ id }) => id),
    ids,
  )
  const rows = await pool.query(
    `select g.id, count(m.user_id)::int as count from groups g
     left join scim_group_members m on m.group_id = g.id where g.id = any($1) group by 1 order by 1`,
    [ids],
  )
  t.deepEqual(
    countMembers(found),
    rows.rows.map(({ count }) => count),
    'every group has all of its members',
  )
  for (const selection of ['excludedAttributes=members', 'attributes=displayName']) {
    const { body } = await directory.send('GET', `/Groups?${selection}`)
    t.is(body.Resources.length, ids.length, 'groups without members are not bounded by them')
  }
})

test('a group with too many members is returned without them only', async (t) => {
  const directory = await createDirectory(environment)
  const [id] = await seedGroups(directory, [maxListedMembers])
  const path = `/Groups/${id}`
  t.is((await directory.send('GET', path)).body.members.length, maxListedMembers)
  const { id: added } = await directory.provision('one-more')
  await directory.patch(path, { op: 'add', path: 'members', value: [{ value: added }] })
  for (const url of [
    path,
    '/Groups',
    `/Groups?filter=id+eq+"${id}"`,
    `${path}?attributes=members`,
  ]) {
    const { status, body } = await directory.send('GET', url.replaceAll('"', '%22'))
    t.is(status, 400, url)
    t.is(body.scimType, 'tooMany')
    t.regex(body.detail, /excludedAttributes=members/)
  }
  const read = await directory.send('GET', `${path}?excludedAttributes=members`)
  t.is(read.status, 200)
  t.is(read.body.id, id)
  const renamed = await directory.patch(path, { op: 'replace', path: 'displayName', value: 'x' })
  t.is(renamed.status, 204)
})

test('a group is emptied by one statement, with the groups that inherit its members', async (t) => {
  const directory = await createDirectory(environment)
  const size = 4000
  const [id] = (await seedGroups(directory, [size])) as [string]
  const parent = await seed.group(directory.workspace)
  const { body: own } = await directory.send('GET', `/Groups/${id}?excludedAttributes=members`)
  t.is(own.id, id)
  const token = await environment.token(directory.owner, directory.workspace)
  const [, rest] = environment.transports
  const link = { workspace_id: directory.workspace, group_id: parent, child_id: id }
  t.true((await rest?.call('AddChildGroup', link, { token }))?.ok)
  const count = async (group: string) =>
    (await pool.query('select from group_members where group_id = $1', [group])).rowCount
  t.is(await count(parent), size)
  const log = `deletes_${randomUUID().replaceAll('-', '')}`
  await pool.query(`create table ${log} (direct int)`)
  await pool.query(
    `create function ${log}() returns trigger language plpgsql as $$ begin
       insert into ${log} select count(*) from old where is_direct; return null;
     end $$`,
  )
  await pool.query(
    `create trigger ${log} after delete on group_members
     referencing old table as old for each statement execute function ${log}()`,
  )
  const { status } = await directory.patch(`/Groups/${id}`, { op: 'remove', path: 'members' })
  t.is(status, 204)
  const { rows } = await pool.query(`select direct from ${log} where direct > 0`)
  await pool.query(`drop trigger ${log} on group_members`)
  t.deepEqual(rows, [{ direct: size }])
  t.is(await count(id), 0)
  t.is(await count(parent), 0)
  const events = await pool.query(
    `select target_id, detail->>'user_id' as user_id from activity
     where action = 'group.member_removed' and target_id = $1`,
    [id],
  )
  t.is(new Set(events.rows.map(({ user_id }) => user_id)).size, size)
})

/** Puts a person into new groups in SQL. */
async function addToGroups({ workspace }: Directory, userId: string, count: number) {
  await pool.query(
    `with created as (
       insert into groups (id, workspace_id, name, created_at)
       select gen_random_uuid(), $1, 'g' || gen_random_uuid(), now() from generate_series(1, $3::int)
       returning id
     )
     insert into scim_group_members (group_id, user_id, workspace_id)
     select id, $2, $1 from created`,
    [workspace, userId, count],
  )
}

test('a page of people ends before it contains too many groups', async (t) => {
  const directory = await createDirectory(environment)
  const size = Math.floor(maxListedGroups / 3)
  const ids: string[] = []
  for (const [index, count] of [size, size, 0, size, 1, size, 2].entries()) {
    const { id } = await directory.provision(`person-${index}`)
    await addToGroups(directory, id, count)
    ids.push(id)
  }
  const found: { id: string; groups?: unknown[] }[] = []
  for (;;) {
    const { body } = await directory.send('GET', `/Users?startIndex=${found.length + 1}`)
    t.is(body.totalResults, ids.length)
    t.is(body.itemsPerPage, body.Resources.length)
    if (body.Resources.length === 0) break
    const counts = body.Resources.map(({ groups = [] }: { groups?: unknown[] }) => groups.length)
    const total = counts.reduce((sum: number, count: number) => sum + count, 0)
    t.true(total <= maxListedGroups, `${total} groups`)
    found.push(...body.Resources)
  }
  t.deepEqual(
    found.map(({ id }) => id),
    ids.sort(),
  )
  const { body } = await directory.send('GET', '/Users?excludedAttributes=groups')
  t.is(body.Resources.length, ids.length)
})

test('a person in too many groups is read without them', async (t) => {
  const directory = await createDirectory(environment)
  const { id } = await directory.provision('person')
  const path = `/Users/${id}`
  await addToGroups(directory, id, maxListedGroups)
  t.is((await directory.send('GET', path)).body.groups.length, maxListedGroups)
  await addToGroups(directory, id, 1)
  for (const url of [path, '/Users', `${path}?attributes=groups`]) {
    const { status, body } = await directory.send('GET', url)
    t.is(status, 400, url)
    t.is(body.scimType, 'tooMany')
    t.regex(body.detail, /excludedAttributes=groups/)
  }
  const read = await directory.send('GET', `${path}?excludedAttributes=groups`)
  t.is(read.status, 200)
  t.is(read.body.id, id)
  const changed = await directory.patch(path, { op: 'replace', path: 'title', value: 'x' })
  t.is(changed.status, 200)
  t.is(changed.body.title, 'x')
  t.is(changed.body.groups, undefined)
})
