import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createDirectory } from '../support/scim.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

async function findRole(workspace: string, userId: string): Promise<string | undefined> {
  const { rows } = await pool.query(
    'select role from members where workspace_id = $1 and user_id = $2',
    [workspace, userId],
  )
  return rows[0]?.role
}

test('a directory creates, reads, replaces and deletes a user', async (t) => {
  const directory = await createDirectory(environment)
  const userName = directory.address('Bob')
  const created = await directory.send('POST', '/Users', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
    UserName: userName,
    externalId: 'u-1',
    name: { givenName: 'Bob', FAMILYNAME: 'Bee' },
    emails: [{ value: userName, type: 'work', primary: true }],
    password: 'never stored',
    unknown: { a: 1 },
    [enterprise]: { department: 'Sales', manager: 'someone' },
  })
  t.is(created.status, 201)
  t.is(created.headers['content-type'], 'application/scim+json; charset=utf-8')
  const { id } = created.body
  const location = `http://localhost:8000/scim/v2/${directory.workspace}/Users/${id}`
  t.is(created.headers.location, location)
  const { meta, ...attributes } = created.body
  t.deepEqual(attributes, {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:User', enterprise],
    id,
    externalId: 'u-1',
    userName,
    name: { givenName: 'Bob', familyName: 'Bee' },
    emails: [{ value: userName, type: 'work', primary: true }],
    active: true,
    [enterprise]: { department: 'Sales', manager: { value: 'someone' } },
  })
  t.is(meta.resourceType, 'User')
  t.is(meta.location, location)
  t.is(created.headers.etag, meta.version)
  t.is(await findRole(directory.workspace, id), 'viewer')

  const read = await directory.send('GET', `/Users/${id}`)
  t.deepEqual(read.body, created.body)
  const unchanged = await directory.send('GET', `/Users/${id}`, undefined, {
    'if-none-match': meta.version,
  })
  t.is(unchanged.status, 304)

  const replaced = await directory.send('PUT', `/Users/${id}`, { userName, displayName: 'Bobby' })
  t.is(replaced.status, 200)
  t.is(replaced.body.displayName, 'Bobby')
  t.true(replaced.body.active)
  for (const gone of ['name', 'emails', 'externalId', enterprise]) t.false(gone in replaced.body)

  const stale = await directory.send('DELETE', `/Users/${id}`, undefined, {
    'if-match': meta.version,
  })
  t.is(stale.status, 412)
  t.is((await directory.send('DELETE', `/Users/${id}`)).status, 204)
  t.is((await directory.send('GET', `/Users/${id}`)).status, 404)
  t.is((await directory.send('DELETE', `/Users/${id}`)).status, 404)
  t.is(await findRole(directory.workspace, id), undefined)
  const again = await directory.send('POST', '/Users', { userName })
  t.is(again.body.id, id)
})

test('a userName must be a free address in a verified domain of the workspace', async (t) => {
  const directory = await createDirectory(environment)
  const other = await createDirectory(environment)
  for (const userName of ['bob', `bob@${other.domain}`, `bob@sub.${directory.domain}`, 7]) {
    const { status, body } = await directory.send('POST', '/Users', { userName })
    t.is(status, 400)
    t.like(body, { status: '400', scimType: 'invalidValue' })
    t.deepEqual(body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
  }
  t.is((await directory.send('POST', '/Users', {})).body.scimType, 'invalidValue')
  const { id } = await directory.provision('bob')
  const taken = await directory.send('POST', '/Users', { userName: directory.address('BOB') })
  t.is(taken.status, 409)
  t.is(taken.body.scimType, 'uniqueness')
  const carol = await directory.provision('carol')
  const renamed = await directory.patch(`/Users/${carol.id}`, {
    op: 'replace',
    path: 'userName',
    value: directory.address('bob'),
  })
  t.is(renamed.status, 409)
  const moved = await directory.patch(`/Users/${id}`, {
    op: 'replace',
    path: 'userName',
    value: 'bob@example.com',
  })
  t.is(moved.body.scimType, 'invalidValue')
})

test('users are found by userName, externalId and ID, and listed in pages', async (t) => {
  const directory = await createDirectory(environment)
  const people: Record<string, any>[] = []
  for (const name of ['a', 'b', 'c'])
    people.push(await directory.provision(name, { externalId: `x-${name}` }))
  const find = async (filter: string) => {
    const { status, body } = await directory.send(
      'GET',
      `/Users?filter=${encodeURIComponent(filter)}&unknown=1`,
    )
    return status === 200 ? body.Resources.map(({ id }: { id: string }) => id) : body.scimType
  }
  const [a, b] = people as [Record<string, any>, Record<string, any>]
  t.deepEqual(await find(`userName eq "${directory.address('A')}"`), [a.id])
  t.deepEqual(await find(`USERNAME EQ "${directory.address('b')}" and externalId eq "x-b"`), [b.id])
  t.deepEqual(await find(`urn:ietf:params:scim:schemas:core:2.0:User:userName eq "none"`), [])
  t.deepEqual(await find('externalId eq "X-A"'), [])
  t.deepEqual(await find(`id eq "${a.id}"`), [a.id])
  t.deepEqual(await find('id eq "nothing"'), [])
  t.deepEqual(await find('externalId eq "x-a" and externalId eq "x-b"'), [])
  for (const filter of [
    'userName eq "\\u0000"',
    'userName eq "\\ud800"',
    'userName',
    'userName eq "\\q"',
    'userName eq 1',
    'userName eq "a" and',
    `userName eq "${'a'.repeat(1000)}"`,
  ])
    t.is(await find(filter), 'invalidFilter', filter)

  const page = await directory.send('GET', '/Users?startIndex=2&count=1&attributes=userName')
  t.like(page.body, { totalResults: 3, startIndex: 2, itemsPerPage: 1 })
  t.deepEqual(page.body.schemas, ['urn:ietf:params:scim:api:messages:2.0:ListResponse'])
  t.deepEqual(Object.keys(page.body.Resources[0]), ['schemas', 'id', 'userName'])
  const none = await directory.send('GET', '/Users?startIndex=-3&count=0')
  t.like(none.body, { totalResults: 3, startIndex: 1, itemsPerPage: 0, Resources: [] })
  const without = await directory.send('GET', `/Users/${a.id}?excludedAttributes=externalId,meta`)
  t.deepEqual(Object.keys(without.body), ['schemas', 'id', 'userName', 'active'])
})

test('deactivating a user ends membership and sessions, and activating restores them', async (t) => {
  const mapping = { roles: { Lead: 'editor' } }
  const directory = await createDirectory(environment, mapping)
  const { workspace } = directory
  const { id } = await directory.provision('bob', { roles: [{ value: 'Lead' }] })
  t.is(await findRole(workspace, id), 'editor')
  const group = await directory.send('POST', '/Groups', {
    displayName: 'writers',
    members: [{ value: id }],
  })
  const token = await environment.token(id, workspace)
  const [, rest] = environment.transports
  const read = () => rest?.call('GetWorkspace', { workspace_id: workspace }, { token })
  t.true((await read())?.ok)

  const ended = await directory.patch(`/Users/${id}`, { op: 'replace', value: { active: false } })
  t.is(ended.status, 200)
  t.false(ended.body.active)
  const refused = await read()
  t.like(refused, { ok: false, code: 'unauthenticated' })
  t.is(await findRole(workspace, id), undefined)
  t.deepEqual((await directory.send('GET', `/Groups/${group.body.id}`)).body.members[0].value, id)

  const back = await directory.patch(`/Users/${id}`, {
    op: 'Replace',
    path: 'active',
    value: 'True',
  })
  t.true(back.body.active)
  t.is(await findRole(workspace, id), 'editor')
  const { rows } = await pool.query(
    'select from group_members where user_id = $1 and group_id = $2',
    [id, group.body.id],
  )
  t.is(rows.length, 1)
})

test('the last owner is not deactivated, and an owner keeps the role', async (t) => {
  const directory = await createDirectory(environment, { roles: { Low: 'viewer' } })
  const { workspace, owner } = directory
  const email = directory.address('owner')
  await pool.query('update users set email = $2 where id = $1', [owner, email])
  const adopted = await directory.send('POST', '/Users', { userName: email, userType: 'Low' })
  t.is(adopted.status, 201)
  t.is(adopted.body.id, owner)
  t.is(await findRole(workspace, owner), 'owner')
  for (const change of [
    () => directory.patch(`/Users/${owner}`, { op: 'replace', path: 'active', value: false }),
    () => directory.send('PUT', `/Users/${owner}`, { userName: email, active: false }),
    () => directory.send('DELETE', `/Users/${owner}`),
  ]) {
    const { status, body } = await change()
    t.is(status, 409)
    t.regex(body.detail, /last active owner/)
  }
  await seed.newMember(workspace, 'owner')
  t.is((await directory.send('DELETE', `/Users/${owner}`)).status, 204)
})

test('roles go through the mapping when they change, and never make an owner', async (t) => {
  const directory = await createDirectory(environment, {
    roles: { Admins: 'admin', Writers: 'editor' },
  })
  const { id } = await directory.provision('bob')
  const set = async (...values: string[]) => {
    const roles = values.map((value) => ({ value }))
    await directory.patch(`/Users/${id}`, { op: 'replace', path: 'roles', value: roles })
    return findRole(directory.workspace, id)
  }
  t.is(await set('Writers'), 'editor')
  t.is(await set('Writers', 'Admins'), 'admin')
  t.is(await set('owner'), 'viewer')
  await pool.query("update members set role = 'editor' where user_id = $1", [id])
  await directory.patch(`/Users/${id}`, { op: 'replace', path: 'title', value: 'Chief' })
  t.is(await findRole(directory.workspace, id), 'editor')
})

test('attributes belong to one workspace, and change no profile', async (t) => {
  const directory = await createDirectory(environment)
  const { id } = await directory.provision('bob', { displayName: 'Robert', externalId: 'e' })
  const { rows } = await pool.query('select name, external_id from users where id = $1', [id])
  t.deepEqual(rows, [{ name: '', external_id: null }])
  const other = await createDirectory(environment)
  t.is((await other.send('GET', `/Users/${id}`)).status, 404)
  const random = await other.send('GET', `/Users/${randomUUID()}`)
  const noUuid = await other.send('GET', '/Users/x')
  t.deepEqual(random.body, noUuid.body)
})

test('a member of the workspace is taken over, and others stay unseen', async (t) => {
  const directory = await createDirectory(environment)
  const { workspace } = directory
  const invited = await seed.user('i', { email: directory.address('invited') })
  await seed.member(workspace, invited, 'editor', { joined_at: null })
  t.is((await directory.send('GET', '/Users')).body.totalResults, 0)
  t.is((await directory.send('GET', `/Users/${invited}`)).status, 404)
  t.is((await directory.provision('invited')).id, invited)
  const { rows } = await pool.query('select role, joined_at from members where user_id = $1', [
    invited,
  ])
  t.is(rows[0].role, 'editor')
  t.not(rows[0].joined_at, null)
})

test('the quota of members applies', async (t) => {
  const node = await environment.addNode({ MAX_MEMBERS_PER_WORKSPACE: 2 })
  const directory = await createDirectory({ ...environment, httpPort: node.httpPort })
  await directory.provision('a')
  const { status, body } = await directory.send('POST', '/Users', {
    userName: directory.address('b'),
  })
  t.is(status, 429)
  t.regex(body.detail, /MAX_MEMBERS_PER_WORKSPACE/)
})
