import { randomUUID } from 'node:crypto'
import test from 'ava'
import { signAccountToken } from '../support/account-page.ts'
import { createAdmin } from '../support/admin.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture, type WorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed, httpPort } = environment
const admin = await createAdmin(environment)

const fixtures = await Promise.all(
  environment.transports.map((transport) => createWorkspaceFixture(environment, transport)),
)

test.after.always(() => environment.stop())

for (const [index, transport] of environment.transports.entries()) {
  const over = `over ${transport.label}`
  const fixture = fixtures[index] as WorkspaceFixture
  const { workspace, people, service } = fixture
  const as = async (id: string, workspaceId = workspace) => ({
    token: await signAccountToken(environment, id, workspaceId),
  })

  test(`a user exports what an administrator exports about them ${over}`, async (t) => {
    const { id } = people.viewer
    const own = expectOk(await transport.call('ExportMe', {}, await as(id)))
    const theirs = expectOk(await admin.call(transport, 'ExportUser', { user_id: id }))
    const exported = (own.export ?? own) as { user: { id: string } }
    t.is(exported.user.id, id)
    t.deepEqual(Object.keys(exported).sort(), Object.keys(theirs).sort())
  })

  test(`a user is deleted once nothing depends on them ${over}`, async (t) => {
    const other = await createWorkspaceFixture(environment, transport)
    const { owner, editor } = other.people
    await other.register(owner)
    const credentials = await as(owner.id, other.workspace)
    const remove = (message = {}) => transport.call('DeleteMe', message, credentials)
    const blocked = expectError(await remove())
    t.like(blocked, { code: 'already_exists', reason: 'ERASURE_BLOCKED' })
    const byAdmin = await admin.call(transport, 'DeleteUser', { user_id: owner.id })
    t.is(expectError(byAdmin).reason, 'ERASURE_BLOCKED')
    await pool.query(`update members set role = 'owner' where user_id = $1`, [editor.id])
    t.is(expectError(await remove()).reason, 'ERASURE_BLOCKED')
    t.is(expectError(await remove({ transfer_to: randomUUID() })).code, 'invalid_argument')
    expectOk(await remove({ transfer_to: editor.id }))
    t.is((await pool.query('select from users where id = $1', [owner.id])).rowCount, 0)
    t.is(expectError(await transport.call('GetMe', {}, credentials)).code, 'unauthenticated')
  })

  test(`administrators do not delete themselves ${over}`, async (t) => {
    const { id } = await createAdmin(environment)
    await seed.member(workspace, id)
    const outcome = await transport.call('DeleteMe', {}, await as(id))
    t.like(expectError(outcome), { code: 'permission_denied', reason: 'OWN_ACCOUNT' })
  })

  test(`a user accepts and declines invitations, and leaves ${over}`, async (t) => {
    const id = await seed.user('ida')
    const home = await seed.workspace('home')
    await seed.member(home, id, 'owner')
    const [first, second] = [await seed.workspace('A'), await seed.workspace('B')]
    for (const one of [first, second]) await seed.member(one, id, 'editor', { joined_at: null })
    const credentials = await as(id, home)
    const call = (method: string, message = {}) => transport.call(method, message, credentials)
    const { invitations } = expectOk(await call('ListInvitations'))
    t.like(invitations, [{ workspace_name: 'A', role: 'editor' }, { workspace_name: 'B' }])
    t.true(Math.abs(Date.parse(invitations[0].created_at) - Date.now()) < 3_600_000)
    const of = (workspace_id: string) => ({ workspace_id })
    t.is(expectError(await call('LeaveWorkspace', of(second))).code, 'not_found')
    t.like(expectOk(await call('AcceptInvitation', of(first))), {
      status: 'active',
      role: 'editor',
    })
    expectOk(await call('DeclineInvitation', of(second)))
    t.deepEqual(expectOk(await call('ListInvitations')).invitations, [])
    for (const [method, workspaceId] of [
      ['AcceptInvitation', second],
      ['DeclineInvitation', first],
      ['LeaveWorkspace', second],
    ] as const)
      t.is(expectError(await call(method, of(workspaceId))).code, 'not_found', method)
    // The token names another workspace.
    expectOk(await call('LeaveWorkspace', of(first)))
    await pool.query(
      `insert into scim_users (workspace_id, user_id, user_name, attributes, is_active, created_at,
        updated_at) values ($1, $2, 'ida@example.com', '{}', true, now(), now())`,
      [home, id],
    )
    t.is(expectError(await call('LeaveWorkspace', of(home))).reason, 'DIRECTORY_OWNED')
    await pool.query('delete from scim_users where user_id = $1', [id])
    await seed.newMember(home)
    t.is(expectError(await call('LeaveWorkspace', of(home))).reason, 'LAST_OWNER')
  })

  test(`what blocks an erasure is counted, and never named ${over}`, async (t) => {
    const owner = await fixture.addMember('editor')
    await fixture.register(owner)
    const { token } = await as(owner.id)
    const response = await fetch(`http://127.0.0.1:${httpPort}/users/me`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${token}` },
    })
    const services = [{ service_name: service, resources: 1 }]
    t.like(await response.json(), { status: 409, workspaces: [], services })
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
