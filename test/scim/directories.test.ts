import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createDirectory } from '../support/scim.ts'
import { startTestEnvironment } from '../support/test-environment.ts'

/** Sequences of requests that the provisioning of Entra ID and Okta sends, with their dialects. */

const environment = await startTestEnvironment()
const { pool } = environment
test.after.always(() => environment.stop())

const user = 'urn:ietf:params:scim:schemas:core:2.0:User'
const enterprise = 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'

test('Entra ID matches, creates, updates, disables and enables a user', async (t) => {
  const directory = await createDirectory(environment)
  const userName = directory.address('Ada.L')
  const filter = encodeURIComponent(`userName eq "${userName}"`).replaceAll('%20', '+')
  const missing = await directory.send('GET', `/Users?filter=${filter}`)
  t.is(missing.status, 200)
  t.like(missing.body, { totalResults: 0, Resources: [] })

  const created = await directory.send('POST', '/Users', {
    schemas: [user, enterprise],
    externalId: randomUUID(),
    userName,
    active: true,
    addresses: null,
    displayName: 'Ada L',
    emails: [{ type: 'work', value: userName, primary: true }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Ada L', familyName: 'L', givenName: 'Ada' },
    preferredLanguage: null,
    roles: [],
    title: null,
  })
  t.is(created.status, 201)
  t.is(created.body.userName, userName)
  t.false('title' in created.body)
  const path = `/Users/${created.body.id}`
  const again = await directory.send('POST', '/Users', { schemas: [user], userName })
  t.is(again.status, 409)

  const updated = await directory.patch(
    path,
    { op: 'Replace', path: 'displayName', value: 'Ada Lovelace' },
    { op: 'Replace', path: 'emails[type eq "work"].value', value: directory.address('ada') },
    { op: 'Add', path: 'emails[type eq "home"].value', value: 'ada@home.example' },
    { op: 'Add', path: 'phoneNumbers[type eq "mobile"].value', value: '+44 1' },
    { op: 'Add', path: 'addresses[type eq "work"].locality', value: 'London' },
    { op: 'Add', path: 'roles[primary eq "True"].value', value: 'Lead' },
    { op: 'Replace', path: 'name.familyName', value: 'Lovelace' },
    { op: 'Add', path: `${enterprise}:department`, value: 'Engines' },
    { op: 'Add', path: `${enterprise}:manager`, value: 'm-1' },
    { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:other:2.0:User:tag', value: 'x' },
  )
  t.is(updated.status, 200)
  t.like(updated.body, {
    displayName: 'Ada Lovelace',
    name: { familyName: 'Lovelace', givenName: 'Ada' },
    [enterprise]: { department: 'Engines', manager: { value: 'm-1' } },
  })
  t.deepEqual(updated.body.emails, [
    { type: 'work', value: directory.address('ada'), primary: true },
    { type: 'home', value: 'ada@home.example' },
  ])
  t.deepEqual(updated.body.phoneNumbers, [{ type: 'mobile', value: '+44 1' }])
  t.deepEqual(updated.body.addresses, [{ type: 'work', locality: 'London' }])
  t.deepEqual(updated.body.roles, [{ primary: true, value: 'Lead' }])

  const withoutPath = await directory.patch(path, {
    op: 'replace',
    value: {
      'name.givenName': 'Augusta',
      'emails[type eq "work"].value': directory.address('augusta'),
      [`${enterprise}:employeeNumber`]: '7',
      [enterprise]: { costCenter: 'c' },
      nickName: 'A',
    },
  })
  t.like(withoutPath.body, {
    name: { familyName: 'Lovelace', givenName: 'Augusta' },
    nickName: 'A',
    [enterprise]: { department: 'Engines', employeeNumber: '7', costCenter: 'c' },
  })
  t.is(withoutPath.body.emails[0].value, directory.address('augusta'))

  const removed = await directory.patch(
    path,
    { op: 'Remove', path: 'nickName' },
    { op: 'Remove', path: 'emails[type eq "home"]' },
    { op: 'Remove', path: `${enterprise}:manager` },
    { op: 'Remove', path: 'title' },
  )
  t.false('nickName' in removed.body)
  t.is(removed.body.emails.length, 1)
  t.false('manager' in removed.body[enterprise])

  const disabled = await directory.patch(path, { op: 'Replace', path: 'active', value: 'False' })
  t.is(disabled.body.active, false)
  const found = await directory.send('GET', `/Users?filter=${filter}`)
  t.is(found.body.Resources[0].active, false)
  const legacy = [{ $ref: null, value: 'True' }]
  const enabled = await directory.patch(path, { op: 'Add', path: 'active', value: legacy })
  t.is(enabled.body.active, true)
  t.is((await directory.send('DELETE', path)).status, 204)
})

test('Entra ID matches, creates, updates and deletes a group', async (t) => {
  const directory = await createDirectory(environment)
  const ids = await Promise.all(
    ['a', 'b', 'c'].map(async (name) => (await directory.provision(name)).id as string),
  )
  const displayName = `g ${randomUUID()}`
  const created = await directory.send('POST', '/Groups', {
    schemas: [
      'urn:ietf:params:scim:schemas:core:2.0:Group',
      'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group',
    ],
    externalId: randomUUID(),
    displayName,
    meta: { resourceType: 'Group' },
  })
  t.is(created.status, 201)
  const path = `/Groups/${created.body.id}`
  const members = ids.map((value) => ({ $ref: null, value }))
  const added = await directory.patch(path, { op: 'Add', path: 'members', value: members })
  t.is(added.status, 204)
  const filter = encodeURIComponent(`displayName eq "${displayName}"`)
  const found = await directory.send('GET', `/Groups?excludedAttributes=members&filter=${filter}`)
  t.is(found.body.Resources[0].id, created.body.id)
  const [first] = members
  await directory.patch(path, { op: 'Remove', path: 'members', value: [first] })
  const read = await directory.send('GET', path)
  t.is(read.body.members.length, 2)
  await directory.patch(path, { op: 'Replace', path: 'displayName', value: `${displayName} 2` })
  t.is((await directory.send('GET', path)).body.displayName, `${displayName} 2`)
  t.is((await directory.send('DELETE', path)).status, 204)
})

test('Okta lists, matches, creates, replaces, deactivates and reactivates a user', async (t) => {
  const directory = await createDirectory(environment)
  const first = await directory.send('GET', '/Users?count=1&startIndex=1')
  t.is(first.status, 200)
  t.true(Array.isArray(first.body.Resources))
  t.is((await directory.send('GET', `/Users/${'0'.repeat(20)}`)).status, 404)
  const userName = directory.address('grace')
  const profile = {
    schemas: [user],
    userName,
    name: { givenName: 'Grace', familyName: 'H' },
    emails: [{ primary: true, value: userName, type: 'work' }],
    displayName: 'Grace H',
    locale: 'en-US',
    externalId: '00ujl29u0le5T6Aj10h7',
    groups: [],
    password: '1mz050nq',
    active: true,
  }
  const created = await directory.send('POST', '/Users', profile)
  t.is(created.status, 201)
  t.like(created.body, { active: true, userName, name: { familyName: 'H' } })
  t.false('password' in created.body)
  t.is((await directory.send('POST', '/Users', profile)).status, 409)

  const { id } = created.body
  const replaced = await directory.send('PUT', `/Users/${id}`, {
    ...created.body,
    name: { givenName: 'Grace', familyName: 'Hopper' },
  })
  t.is(replaced.status, 200)
  t.is(replaced.body.name.familyName, 'Hopper')
  const active = (value: boolean) =>
    directory.patch(`/Users/${id}`, { op: 'replace', value: { active: value } })
  t.false((await active(false)).body.active)
  t.true((await active(true)).body.active)
  const deactivated = await directory.send('PUT', `/Users/${id}`, {
    ...replaced.body,
    active: false,
  })
  t.false(deactivated.body.active)

  const group = await directory.send('POST', '/Groups', {
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Group'],
    displayName: 'Admirals',
    members: [{ value: id, display: userName }],
  })
  t.is(group.status, 201)
  const renamed = await directory.patch(`/Groups/${group.body.id}`, {
    op: 'replace',
    value: { id: group.body.id, displayName: 'Rear admirals' },
  })
  t.is(renamed.status, 204)
})

test('every change is recorded, with the token as its actor', async (t) => {
  const directory = await createDirectory(environment, { roles: { Lead: 'editor' } })
  const { workspace } = directory
  const { id } = await directory.provision('bob')
  await pool.query(
    `with kind as (
       insert into resource_kinds (service_name, resource_type) values ($3, 'document') returning id
     )
     insert into resources (id, kind_id, resource_id, workspace_id, owner_id, visibility)
     select gen_random_uuid(), id, gen_random_uuid(), $1, $2, 'private' from kind`,
    [workspace, id, `s-${randomUUID()}`],
  )
  await directory.patch(`/Users/${id}`, { op: 'add', path: 'userType', value: 'Lead' })
  const group = await directory.send('POST', '/Groups', {
    displayName: 'g',
    members: [{ value: id }],
  })
  await directory.send('PUT', `/Groups/${group.body.id}`, { displayName: 'h' })
  await directory.send('DELETE', `/Groups/${group.body.id}`)
  await directory.patch(`/Users/${id}`, { op: 'replace', path: 'active', value: true })
  await directory.send('DELETE', `/Users/${id}`)
  const { rows } = await pool.query(
    `select action, detail, actor_type, actor_id = (
       select id from scim_tokens where workspace_id = $1
     ) as by_token from activity where workspace_id = $1 order by id`,
    [workspace],
  )
  t.deepEqual([...new Set(rows.map(({ actor_type }) => actor_type))], ['scim'])
  t.true(rows.every(({ by_token }) => by_token))
  const email = directory.address('bob')
  t.deepEqual(
    rows.map(({ action, detail }) => [action, detail]),
    [
      ['scim.user_provisioned', { email, role: 'viewer' }],
      ['scim.user_updated', { email }],
      ['member.role_changed', { from: 'viewer', to: 'editor' }],
      ['group.created', { name: 'g' }],
      ['group.member_added', { name: 'g', user_id: id }],
      ['group.updated', { name: 'h' }],
      ['group.member_removed', { name: 'h', user_id: id }],
      ['group.deleted', { name: 'h' }],
      ['scim.user_deprovisioned', { email, role: 'editor', resources: '1' }],
      ['scim.user_deleted', { email }],
    ],
  )
})

test('500 users and their group are pushed, four at a time', async (t) => {
  const directory = await createDirectory(environment)
  const names = Array.from({ length: 500 }, (_, index) => `person-${index}`)
  const ids: string[] = []
  const work = async () => {
    for (let name = names.pop(); name !== undefined; name = names.pop())
      ids.push((await directory.provision(name, { externalId: name, title: 'Clerk' })).id)
  }
  await Promise.all([work(), work(), work(), work()])
  const created = await directory.send('POST', '/Groups', {
    displayName: 'everybody',
    members: ids.map((value) => ({ value })),
  })
  t.is(created.status, 201)
  t.is(created.body.members.length, 500)
  const seen = new Set<string>()
  for (let start = 1; start <= 500; start += 200) {
    const { body } = await directory.send('GET', `/Users?count=1000&startIndex=${start}`)
    t.is(body.totalResults, 500)
    for (const { id, groups } of body.Resources) {
      seen.add(id)
      t.is(groups[0].value, created.body.id)
    }
  }
  t.is(seen.size, 500)
})
