import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createDirectory, type Directory } from '../support/scim.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
test.after.always(() => environment.stop())

async function findMembers(groupId: string): Promise<string[]> {
  const { rows } = await pool.query(
    'select user_id as id from group_members where group_id = $1 order by 1',
    [groupId],
  )
  return rows.map(({ id }) => id)
}

async function provisionThree(directory: Directory): Promise<[string, string, string]> {
  const [a, b, c] = await Promise.all(['a', 'b', 'c'].map((name) => directory.provision(name)))
  return [a?.id, b?.id, c?.id].sort() as [string, string, string]
}

test('a directory creates, reads, replaces and deletes a group', async (t) => {
  const directory = await createDirectory(environment)
  const [a, b] = await provisionThree(directory)
  const created = await directory.send('POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Writers',
    externalId: 'g-1',
    members: [{ value: a, type: 'User' }, { value: a }],
  })
  t.is(created.status, 201)
  const { id } = created.body
  t.like(created.body, { displayName: 'Writers', externalId: 'g-1' })
  t.is(created.headers.location, created.body.meta.location)
  t.deepEqual(await findMembers(id), [a])
  const [member] = created.body.members
  t.is(member.value, a)
  t.is(member.$ref, `http://localhost:8000/scim/v2/${directory.workspace}/Users/${a}`)
  const user = await directory.send('GET', `/Users/${a}`)
  t.like(user.body.groups[0], { value: id, display: 'Writers' })

  const taken = await directory.send('POST', '/Groups', { displayName: 'Writers' })
  t.is(taken.status, 409)
  t.is(taken.body.scimType, 'uniqueness')

  const replaced = await directory.send('PUT', `/Groups/${id}`, {
    displayName: 'Authors',
    members: [{ value: b }],
  })
  t.like(replaced.body, { id, displayName: 'Authors' })
  t.false('externalId' in replaced.body)
  t.deepEqual(await findMembers(id), [b])
  const stale = await directory.send(
    'PUT',
    `/Groups/${id}`,
    { displayName: 'Authors' },
    { 'if-match': created.body.meta.version },
  )
  t.is(stale.status, 412)
  t.is((await directory.send('DELETE', `/Groups/${id}`)).status, 204)
  t.is((await directory.send('GET', `/Groups/${id}`)).status, 404)
})

test('a patch adds and removes members in the dialects of directories', async (t) => {
  const directory = await createDirectory(environment)
  const [a, b, c] = await provisionThree(directory)
  const { body } = await directory.send('POST', '/Groups', { displayName: 'g' })
  const path = `/Groups/${body.id}`
  const patch = async (...operations: object[]) => {
    const response = await directory.patch(path, ...operations)
    t.is(response.status, 204, JSON.stringify(response.body))
    t.truthy(response.headers.etag)
    return findMembers(body.id)
  }
  t.deepEqual(await patch({ op: 'Add', path: 'members', value: [{ value: a }, { value: b }] }), [
    a,
    b,
  ])
  t.deepEqual(await patch({ op: 'add', value: { members: [{ value: c }] } }), [a, b, c])
  t.deepEqual(await patch({ op: 'Remove', path: 'members', value: [{ value: b }] }), [a, c])
  t.deepEqual(await patch({ op: 'remove', path: `members[value eq "${a}"]` }), [c])
  t.deepEqual(await patch({ op: 'replace', path: 'members', value: [{ value: a }] }), [a])
  t.deepEqual(await patch({ op: 'remove', path: `members[value eq "${randomUUID()}"]` }), [a])
  t.deepEqual(await patch({ op: 'remove', path: 'members' }), [])
  await patch({ op: 'replace', value: { id: body.id, displayName: 'renamed' } })
  await patch({ op: 'Replace', path: 'externalId', value: 'e' })
  const read = await directory.send('GET', path)
  t.like(read.body, { displayName: 'renamed', externalId: 'e' })
  t.false('members' in read.body)
})

test('members are people whom the directory has provisioned', async (t) => {
  const directory = await createDirectory(environment)
  const other = await createDirectory(environment)
  const { workspace, owner } = directory
  const stranger = (await other.provision('stranger')).id
  const group = await seed.group(workspace, [owner], 'mixed')
  const path = `/Groups/${group}`
  for (const value of [owner, stranger, randomUUID(), 'x']) {
    const refused = await directory.patch(path, { op: 'add', path: 'members', value: [{ value }] })
    t.is(refused.body.scimType, 'invalidValue')
  }
  t.false('members' in (await directory.send('GET', path)).body)
  await directory.send('PUT', path, { displayName: 'mixed', members: [] })
  t.deepEqual(await findMembers(group), [owner])
  t.is((await other.send('GET', path)).status, 404)
  t.is((await other.send('DELETE', path)).status, 404)
  t.is((await other.patch(path, { op: 'remove', path: 'members' })).status, 404)
})

test('groups are found by displayName and without their members', async (t) => {
  const directory = await createDirectory(environment)
  const { id: userId } = await directory.provision('a')
  const { body } = await directory.send('POST', '/Groups', {
    displayName: 'Über "g"',
    members: [{ value: userId }],
  })
  await directory.send('POST', '/Groups', { displayName: 'other' })
  const find = async (filter: string, more = '') =>
    (await directory.send('GET', `/Groups?filter=${encodeURIComponent(filter)}${more}`)).body
  const found = await find('displayName eq "über \\"G\\""', '&excludedAttributes=members')
  t.is(found.totalResults, 1)
  t.is(found.Resources[0].id, body.id)
  t.false('members' in found.Resources[0])
  t.is((await find(`id eq "${body.id}"`)).Resources[0].members.length, 1)
  t.is((await find('displayName eq "none"')).totalResults, 0)
  t.is((await find('members eq "x"')).totalResults, 0)
  t.is((await directory.send('GET', '/Groups')).body.totalResults, 2)
})

test('a name must fit a group', async (t) => {
  const directory = await createDirectory(environment)
  for (const displayName of [undefined, '', '  ', 'a\tb', 'x'.repeat(201)]) {
    const { status, body } = await directory.send('POST', '/Groups', { displayName })
    t.is(status, 400)
    t.is(body.scimType, 'invalidValue')
  }
})

test('people who are deactivated while they are added to a group do not fail the change', async (t) => {
  const directory = await createDirectory(environment)
  for (let round = 0; round < 20; round += 1) {
    const people = [await directory.provision(`a${round}`), await directory.provision(`b${round}`)]
    const { body } = await directory.send('POST', '/Groups', { displayName: `team ${round}` })
    const value = people.map(({ id }) => ({ value: id }))
    const [changed, deactivated] = await Promise.all([
      directory.patch(`/Groups/${body.id}`, { op: 'add', path: 'members', value }),
      directory.patch(`/Users/${people[1]?.id}`, { op: 'replace', path: 'active', value: false }),
    ])
    t.is(changed.status, 204, JSON.stringify(changed.body))
    t.is(deactivated.status, 200)
    const { rows } = await environment.pool.query(
      'select user_id from group_members where group_id = $1',
      [body.id],
    )
    t.deepEqual(rows, [{ user_id: people[0]?.id }])
  }
})
