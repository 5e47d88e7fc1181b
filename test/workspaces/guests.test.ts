import { randomUUID } from 'node:crypto'
import test from 'ava'
import pg from 'pg'
import { listActivity } from '../support/activity.ts'
import { createAdmin } from '../support/admin.ts'
import { createMemberFixture } from '../support/member-fixture.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { createDirectory, seedConnection } from '../support/scim.ts'
import { createSignInEnvironment, obtainCode } from '../support/sign-in.ts'
import type { Member } from '../support/workspace-fixture.ts'

const environment = await createSignInEnvironment({
  options: { MAX_FACTS_CACHE_BYTES: 10_000_000 },
})
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const { pool, seed } = environment

const actionsOf = async (id: string) =>
  (await listActivity(pool, id)).map(({ action, detail }) => ({ action, detail }))

const inProgress = { code: 'already_exists', reason: 'ROLLOUT_IN_PROGRESS' }
const invalidRole = { code: 'invalid_argument', violations: [{ field: 'role' }] }
const invalidGuest = { code: 'invalid_argument', violations: [{ field: 'guest' }] }

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`a member becomes a guest and no longer is one, with one entry each ${over}`, async (t) => {
    const { people, call, update } = await createMemberFixture(environment, transport)
    const { admin: by, viewer, editor } = people
    t.like(expectOk(await update(by, viewer, { guest: true })), { role: 'viewer', guest: true })
    // The same again changes nothing.
    t.true(expectOk(await update(by, viewer, { role: 'viewer', guest: true })).guest)
    const refused = expectError(await update(by, viewer, { role: 'editor' }))
    t.like(refused, invalidRole)
    t.like(expectError(await update(by, viewer, { role: 'editor', guest: true })), invalidRole)
    const lifted = expectOk(await update(by, viewer, { role: 'editor', guest: false }))
    t.like(lifted, { role: 'editor', guest: false })
    t.deepEqual(await actionsOf(viewer.id), [
      { action: 'member.updated', detail: { guest: 'true' } },
      { action: 'member.role_changed', detail: { from: 'viewer', to: 'editor' } },
      { action: 'member.updated', detail: { guest: 'false' } },
    ])
    t.like(expectOk(await update(by, editor, { guest: true })), { role: 'viewer', guest: true })
    t.deepEqual(await actionsOf(editor.id), [
      { action: 'member.role_changed', detail: { from: 'editor', to: 'viewer' } },
      { action: 'member.updated', detail: { guest: 'true' } },
    ])
    const guests = expectOk(await call('ListMembers', by, { guest: true })).members
    t.deepEqual(
      guests.map(({ user_id, guest }: any) => ({ user_id, guest })),
      [{ user_id: editor.id, guest: true }],
    )
    const page = expectOk(await call('ListMembers', by, { guest: false, page: 1 }))
    // A header over REST.
    t.is(Number(page.total), 3)
    const { memberships } = expectOk(await admin.call(transport, 'GetUser', { user_id: editor.id }))
    t.like(memberships[0], { role: 'viewer', guest: true })
    const bulk = expectOk(await call('UpdateMembers', by, { user_ids: [editor.id], role: 'admin' }))
    t.like(bulk.failures[0], { id: editor.id, code: 'invalid_argument' })
  })

  test(`the last owner, service accounts and support access become no guests ${over}`, async (t) => {
    const { people, workspace, update } = await createMemberFixture(environment, transport)
    const lastOwner = expectError(await update(people.owner, people.owner, { guest: true }))
    t.is(lastOwner.reason, 'LAST_OWNER')
    const account = { workspace_id: workspace, name: 'robot', role: 'viewer' }
    const created = expectOk(
      await transport.call('CreateServiceAccount', account, { token: people.owner.token }),
    )
    const robot = { id: created.id as string }
    t.like(expectError(await update(people.owner, robot, { guest: true })), invalidGuest)
    const helper = await seed.user()
    expectOk(
      await admin.call(transport, 'GiveSupportAccess', {
        workspace_id: workspace,
        user_id: helper,
        role: 'viewer',
        reason: 'help',
        minutes: 10,
      }),
    )
    t.like(expectError(await update(people.owner, { id: helper }, { guest: true })), invalidGuest)
  })

  test(`an invitation makes a guest, and inviting again replaces it ${over}`, async (t) => {
    const { people, workspace, invite } = await createMemberFixture(environment, transport)
    const email = `${randomUUID()}@example.com`
    const invited = expectOk(await invite(people.admin, { email, guest: true }))
    t.like(invited, { role: 'viewer', guest: true, status: 'invited' })
    t.like(
      expectError(await invite(people.admin, { email, role: 'editor', guest: true })),
      invalidRole,
    )
    t.like(expectOk(await invite(people.admin, { email, role: 'editor' })), {
      role: 'editor',
      guest: false,
    })
    const person = await seed.user()
    const added = { user_id: person, workspace_id: workspace, role: 'viewer', guest: true }
    t.like(expectOk(await admin.call(transport, 'AddUserToWorkspace', added)), { guest: true })
    const [entry] = await actionsOf(person)
    t.like(entry, { action: 'member.invited', detail: { role: 'viewer', guest: 'true' } })
  })

  test(`a guest does not look around, and sees what concerns themself ${over}`, async (t) => {
    const { people, call, update, workspace } = await createMemberFixture(environment, transport)
    const { admin: by, viewer } = people
    const group = await seed.group(workspace, [viewer.id])
    const inGroup = { group_id: group }
    const looks: [method: string, message: object][] = [
      ['ListMembers', {}],
      ['ListGroups', {}],
      ['GetGroup', inGroup],
      ['ListGroupMembers', inGroup],
      ['ListChildGroups', inGroup],
    ]
    for (const [method, message] of looks) expectOk(await call(method, viewer, message))
    expectOk(await update(by, viewer, { guest: true }))
    for (const [method, message] of looks) {
      const { code, reason } = expectError(await call(method, viewer, message))
      t.deepEqual({ code, reason }, { code: 'permission_denied', reason: 'GUEST' }, method)
    }
    const role = await seed.customRole(workspace, [], [])
    for (const [method, message] of [
      ['ListRoleMembers', { role_id: role }],
      ['LookUpWorkspaceNames', { ids: [by.id] }],
    ] as const)
      t.is(expectError(await call(method, viewer, message)).reason, 'ROLE_TOO_LOW', method)
    // The kind of the credential is known before the request is read.
    const elsewhere = { workspace_id: randomUUID() }
    t.is(expectError(await call('ListMembers', viewer, elsewhere)).reason, 'GUEST')
    expectOk(await call('GetWorkspace', viewer))
    expectOk(await transport.call('GetMe', {}, { token: viewer.token }))
    expectOk(await call('RemoveMember', viewer, { user_id: viewer.id }))
  })

  test(`tokens of a guest say so, and nothing for others ${over}`, async (t) => {
    const { people, workspace, key, update } = await createMemberFixture(environment, transport)
    const email = environment.addProviderUser()
    const invitation = { workspace_id: workspace, email, guest: true }
    const { user_id: id } = expectOk(
      await transport.call('InviteMember', invitation, { token: people.admin.token }),
    )
    const signInHere = async () => {
      const { exchange, workspaces } = await obtainCode(transport, email)
      const message = { ...exchange, workspace_id: workspace }
      const { access_token } = expectOk(await transport.call('ExchangeToken', message))
      const claims = JSON.parse(
        Buffer.from(access_token.split('.')[1] as string, 'base64url').toString(),
      )
      const [info, described] = [
        expectOk(await transport.call('GetUserInfo', {}, { token: access_token })),
        expectOk(await transport.call('IntrospectToken', { token: access_token }, { key })),
      ]
      const listed = workspaces.find((one: any) => one.id === workspace)
      return { listed, claims, info, described }
    }
    const asGuest = await signInHere()
    t.like(asGuest, {
      listed: { role: 'viewer', guest: true },
      claims: { wrole: 'viewer', guest: true },
      info: { guest: true },
      described: { guest: true },
    })
    expectOk(await update(people.admin, { id }, { guest: false }))
    const { listed, claims, info, described } = await signInHere()
    t.false(listed.guest)
    t.false('guest' in claims)
    t.falsy(info.guest)
    t.falsy(described.guest)
  })

  test(`a CSV file makes guests and lifts them, with what it changes ${over}`, async (t) => {
    const { people, workspace, update } = await createMemberFixture(environment, transport)
    const { rows } = await pool.query(
      `select w.slug, u.id, u.email from workspaces w, users u
       where w.id = $1 and u.id in ($2, $3)`,
      [workspace, people.viewer.id, people.editor.id],
    )
    const emailOf = ({ id }: Member) => rows.find((row) => row.id === id).email
    const header = 'email,workspace_slug,role,guest'
    const run = async (method: string, ...lines: string[]) => {
      const csv = [header, ...lines].join('\n')
      return admin.call(transport, method, { csv })
    }
    const row = (who: string, role: string, guest: string) =>
      `${who},${rows[0].slug},${role},${guest}`
    const viewer = row(emailOf(people.viewer), '', 'true')
    const editor = row(emailOf(people.editor), '', 'true')
    const fresh = `${randomUUID()}@example.com`
    const added = row(fresh, '', 'true')
    const preview = expectOk(await run('PreviewCsvImport', viewer, editor, added))
    const becomes = { field: 'guest', from: 'false', to: 'true' }
    t.deepEqual(
      preview.rows.map(({ changes }: any) => changes),
      [
        [becomes],
        [{ field: 'role', from: 'editor', to: 'viewer' }, becomes],
        [
          { field: 'user', from: '', to: fresh },
          { field: 'role', from: '', to: 'viewer' },
          { field: 'guest', from: '', to: 'true' },
        ],
      ],
    )
    expectOk(await run('ExecuteCsvImport', viewer, editor, added))
    const [, ...last] = (await actionsOf(people.editor.id)).toReversed().toReversed()
    t.deepEqual(last, [{ action: 'member.updated', detail: { guest: 'true' } }])
    const again = expectOk(await run('PreviewCsvImport', row(emailOf(people.viewer), '', '')))
    t.is(again.rows[0].action, 'unchanged')
    for (const line of [
      row(emailOf(people.viewer), 'editor', ''),
      row(emailOf(people.viewer), 'editor', 'true'),
      row(emailOf(people.viewer), '', 'yes'),
    ]) {
      const report = expectOk(await run('PreviewCsvImport', line))
      t.is(report.rows[0].action, 'error', line)
    }
    expectOk(await run('ExecuteCsvImport', row(emailOf(people.viewer), 'editor', 'false')))
    const after = expectOk(await update(people.admin, people.viewer, { role: 'editor' }))
    t.like(after, { role: 'editor', guest: false })
  })
}

test('the mapping of a connection makes guests of what a directory says, and lifts them', async (t) => {
  const roles = { Contractor: 'guest', Lead: 'editor' }
  const directory = await createDirectory(environment, { roles })
  const { workspace } = directory
  const { id } = await directory.provision('bob', { roles: [{ value: 'Contractor' }] })
  const find = async () => {
    const sql = 'select role, is_guest from members where workspace_id = $1 and user_id = $2'
    return (await pool.query(sql, [workspace, id])).rows[0]
  }
  t.deepEqual(await find(), { role: 'viewer', is_guest: true })
  const change = (path: string, value: unknown) =>
    directory.patch(`/Users/${id}`, { op: 'replace', path, value })
  // The highest counts, and a guest is the lowest.
  await change('roles', [{ value: 'Contractor' }, { value: 'Lead' }])
  t.deepEqual(await find(), { role: 'editor', is_guest: false })
  await change('roles', [])
  t.deepEqual(await find(), { role: 'viewer', is_guest: false })
  const { body } = await change('userType', 'Contractor')
  t.deepEqual(await find(), { role: 'viewer', is_guest: true })
  t.like(body, { userType: 'Contractor', roles: [{ value: 'guest' }] })
  // What a directory reads, it can send back.
  const { status } = await directory.send('PUT', `/Users/${id}`, body)
  t.is(status, 200)
  await directory.patch(`/Users/${id}`, { op: 'remove', path: 'userType' })
  t.deepEqual(await find(), { role: 'viewer', is_guest: true })
  const changes = (await actionsOf(id)).filter(({ action }) => action === 'member.updated')
  t.deepEqual(
    changes.map(({ detail }) => detail.guest),
    ['false', 'true'],
  )
})

test('a guest is refused while a node of an older version is connected', async (t) => {
  // Sessions of other tests that share the database must not count.
  const separate = await createSignInEnvironment()
  t.teardown(() => separate.stop())
  const operator = await createAdmin(separate)
  const mapping = { role_claim: 'roles', roles: { Contractor: 'guest' } }
  for (const transport of separate.transports) {
    const { people, kind, key, workspace, update, invite } = await createMemberFixture(
      separate,
      transport,
    )
    const { rows } = await separate.pool.query('select slug from workspaces where id = $1', [
      workspace,
    ])
    const csv = `email,workspace_slug,guest\n${randomUUID()}@example.com,${rows[0].slug},true`
    const declaration = {
      ...kind,
      roles: [],
      requirements: [],
      conditions: [
        { name: 'insider', description: '', expression: '!subject.guest', parameters: {} },
      ],
    }
    const domain = `${randomUUID()}.example.org`
    const connection = {
      workspace_id: workspace,
      connection_id: await seedConnection(separate, workspace, domain),
      ...{ scopes: [], domains: [] },
    }
    const changes = [
      () => update(people.admin, people.viewer, { guest: true }),
      () => invite(people.admin, { guest: true }),
      () => operator.call(transport, 'ExecuteCsvImport', { csv }),
      () => transport.call('PutResourceType', declaration, { key }),
      () => operator.call(transport, 'UpdateConnection', { ...connection, mapping }),
    ]
    const older = new pg.Client({
      connectionString: separate.databaseUrl,
      application_name: 'daikon/82',
    })
    // A failed assertion leaves the connection to the end of its database.
    older.on('error', () => {})
    await older.connect()
    for (const change of changes) t.like(expectError(await change()), inProgress)
    expectOk(await invite(people.admin, {}))
    // The session ends after its client has closed the connection.
    await older.query(`set application_name = 'psql'`)
    await older.end()
    for (const change of changes) expectOk(await change())
  }
  const mapped = await separate.seed.workspace()
  await seedConnection(separate, mapped, `${randomUUID()}.example.org`, mapping)
  const { rows } = await separate.pool.query(
    'select fact from newer_facts where migration = 83 order by fact',
  )
  t.deepEqual(
    rows.map(({ fact }) => fact),
    ['conditions about guests', 'guests', 'mappings that give guests'],
  )
})
