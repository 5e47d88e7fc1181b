import { randomUUID } from 'node:crypto'
import test from 'ava'
import { sweepDeleted } from '../../src/database/sweep-deleted.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture, type Member } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({
  MAX_FACTS_CACHE_BYTES: 10_000_000,
  MAX_SERVICE_ACCOUNTS_PER_WORKSPACE: 3,
  MAX_MEMBERS_PER_WORKSPACE: 5,
})
const { pool } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString()

async function createFixture(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const workspace_id = fixture.workspace
  const call = (by: Member, method: string, message: object = {}) =>
    transport.call(method, { workspace_id, ...message }, { token: by.token })
  const create = async (more: object = {}) => {
    const message = { name: 'Robot', role: 'editor', ...more }
    return expectOk(await call(fixture.people.admin, 'CreateServiceAccount', message))
  }
  return {
    ...fixture,
    call,
    create,
    /** Whether a service account may perform an action, asked by a backend. */
    evaluates: async (id: string, action: string, { resource_id }: { resource_id: string }) => {
      const message = {
        subject: { type: 'user', id },
        action: { name: action },
        resource: { type: fixture.kind.resource_type, id: resource_id },
      }
      return expectOk(await transport.call('Evaluate', message, { key: fixture.key })).decision
    },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`an admin creates, reads, changes and deletes a service account ${over}`, async (t) => {
    const { call, create, people, workspace } = await createFixture(transport)
    const created = await create({ name: ' Robot ', expires_at: inAnHour() })
    const { id, created_at, expires_at, ...rest } = created
    t.deepEqual(rest, { workspace_id: workspace, name: 'Robot', role: 'editor', is_active: true })
    t.true(Date.parse(expires_at) > Date.now() && Date.parse(created_at) <= Date.now() + 60_000)
    const target = { service_account_id: id }
    const twin = { ...target, workspace_id: workspace }
    t.deepEqual(expectOk(await admin.call(transport, 'GetServiceAccount', twin)), created)
    const change = { ...target, name: 'Deployer', role: 'admin', never_expires: true }
    const changed = expectOk(await call(people.owner, 'UpdateServiceAccount', change))
    t.like(changed, { name: 'Deployer', role: 'admin' })
    t.falsy(changed.expires_at)
    const { service_accounts } = expectOk(await call(people.owner, 'ListServiceAccounts'))
    t.deepEqual(service_accounts, [changed])
    const removed = expectOk(await admin.call(transport, 'DeleteServiceAccount', twin))
    t.deepEqual(removed, transport.name === 'rest' ? {} : {})
    t.is(
      expectError(await call(people.owner, 'GetServiceAccount', target)).reason,
      'SERVICE_ACCOUNT_NOT_FOUND',
    )
    const { rows } = await pool.query('select from users where id = $1', [id])
    t.is(rows.length, 0)
  })

  test(`a service account is a member in groups, shares and ownership ${over}`, async (t) => {
    const fixture = await createFixture(transport)
    const { people, call, create, evaluates } = fixture
    const { id } = await create({ role: 'viewer' })
    const document = await fixture.register(people.owner)
    t.false(await evaluates(id, 'view', document))
    await fixture.share(people.owner, document, { user: id }, 'edit')
    t.true(await evaluates(id, 'edit', document))

    const group = await environment.seed.group(fixture.workspace)
    const join = { group_id: group, user_id: id }
    expectOk(await call(people.admin, 'AddGroupMember', join))
    const { members } = expectOk(await call(people.admin, 'ListGroupMembers', { group_id: group }))
    t.like(members[0], { user_id: id, email: '', name: 'Robot' })
    const shared = await fixture.register(people.owner)
    await fixture.share(people.owner, shared, { group }, 'view')
    t.true(await evaluates(id, 'view', shared))

    const own = await fixture.register(people.owner, { owner_id: id })
    t.true(await evaluates(id, 'manage', own))
    const target = { service_account_id: id }
    const refused = await call(people.admin, 'DeleteServiceAccount', target)
    t.is(expectError(refused).reason, 'OWNS_RESOURCES')
    const stranger = { ...target, transfer_to: randomUUID() }
    t.is(
      expectError(await call(people.admin, 'DeleteServiceAccount', stranger)).violations[0]?.field,
      'transfer_to',
    )
    const itself = { ...target, transfer_to: id }
    t.is(
      expectError(await call(people.admin, 'DeleteServiceAccount', itself)).code,
      'invalid_argument',
    )
    const heir = { ...target, transfer_to: people.editor.id }
    expectOk(await call(people.admin, 'DeleteServiceAccount', heir))
    t.is((await fixture.readResource(own)).owner_id, people.editor.id)
  })

  test(`members name the kind; a service account has its own routes ${over}`, async (t) => {
    const { people, call, create, workspace } = await createFixture(transport)
    const { id } = await create()
    const { members } = expectOk(await call(people.viewer, 'ListMembers'))
    t.is(members.filter(({ kind }: any) => kind === 'user').length, 4)
    const robot = members.find(({ user_id }: any) => user_id === id)
    t.like(robot, { kind: 'service_account', email: '', name: 'Robot', status: 'active' })
    const conflict = { code: 'already_exists', reason: 'SERVICE_ACCOUNT' } as const
    const change = { user_id: id, role: 'viewer' }
    t.like(expectError(await call(people.owner, 'UpdateMember', change)), conflict)
    t.like(expectError(await call(people.owner, 'RemoveMember', { user_id: id })), conflict)
    for (const [method, message] of [
      ['GetUser', { user_id: id }],
      ['UpdateUser', { user_id: id, name: 'x' }],
      ['DeleteUser', { user_id: id }],
      ['ExportUser', { user_id: id }],
      ['EndUserSessions', { user_id: id }],
      ['AddUserToWorkspace', { user_id: id, workspace_id: workspace }],
    ] as const) {
      t.is(
        expectError(await admin.call(transport, method, message)).reason,
        'USER_NOT_FOUND',
        method,
      )
    }
    const found = expectOk(await admin.call(transport, 'ListUsers', { q: 'Robot' }))
    t.is(found.total, 0)
  })

  test(`the role owner and too many service accounts are rejected ${over}`, async (t) => {
    const { people, call, create } = await createFixture(transport)
    const owner = { name: 'Robot', role: 'owner' }
    const { code, violations } = expectError(
      await call(people.owner, 'CreateServiceAccount', owner),
    )
    t.deepEqual([code, violations[0]?.field], ['invalid_argument', 'role'])
    const { id } = await create()
    const promotion = { service_account_id: id, role: 'owner' }
    t.is(
      expectError(await call(people.owner, 'UpdateServiceAccount', promotion)).code,
      'invalid_argument',
    )
    await create()
    await create()
    const fourth = await call(people.admin, 'CreateServiceAccount', { name: 'R', role: 'viewer' })
    t.is(expectError(fourth).reason, 'QUOTA_EXCEEDED')
    // Service accounts do not count as members, of whom there may be five.
    const invitation = { email: `${randomUUID()}@example.com`, role: 'viewer' }
    expectOk(await call(people.admin, 'InviteMember', invitation))
    t.is(expectError(await call(people.editor, 'ListServiceAccounts')).reason, 'ROLE_TOO_LOW')
  })

  test(`an inactive or ended service account may do nothing until it is reactivated ${over}`, async (t) => {
    const { people, call, create, register, evaluates } = await createFixture(transport)
    const { id } = await create({ role: 'admin' })
    const document = await register(people.owner)
    const change = async (more: object) =>
      call(people.admin, 'UpdateServiceAccount', { service_account_id: id, ...more })
    t.true(await evaluates(id, 'edit', document))
    t.false(expectOk(await change({ is_active: false })).is_active)
    t.false(await evaluates(id, 'edit', document))
    expectOk(await change({ is_active: true }))
    t.true(await evaluates(id, 'edit', document))

    await pool.query(
      "update members set expires_at = now() - interval '1 second' where user_id = $1",
      [id],
    )
    t.false(await evaluates(id, 'edit', document))
    const read = await call(people.admin, 'GetServiceAccount', { service_account_id: id })
    t.false(expectOk(read).is_active)
    t.is(expectError(await change({ is_active: true })).violations[0]?.field, 'expires_at')
    t.true(expectOk(await change({ expires_at: inAnHour() })).is_active)
    t.true(await evaluates(id, 'edit', document))
  })

  test(`deleting the workspace deletes its service accounts ${over}`, async (t) => {
    const { people, call, create, register } = await createFixture(transport)
    const { id } = await create()
    await register(people.owner, { owner_id: id })
    expectOk(await call(people.owner, 'DeleteWorkspace'))
    // The sweep does nothing while the test over the other transport sweeps.
    await waitUntil(async () => {
      await sweepDeleted(environment.database)
      return (await pool.query('select from users where id = $1', [id])).rows.length === 0
    })
    t.pass()
  })
}
