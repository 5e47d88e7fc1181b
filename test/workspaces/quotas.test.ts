import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createAdmin } from '../support/admin.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Outcome, Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment({
  MAX_WORKSPACES_PER_USER: 2,
  // A fixture already has four members.
  MAX_MEMBERS_PER_WORKSPACE: 7,
  MAX_PENDING_INVITATIONS_PER_WORKSPACE: 2,
  MAX_GROUPS_PER_WORKSPACE: 2,
})
const { pool, seed } = environment
const second = await environment.addNode()
test.after.always(() => environment.stop())

function exceeded(quota: string) {
  const detail = `Exceeds the quota of ${quota}`
  return { ok: false, code: 'resource_exhausted', reason: 'QUOTA_EXCEEDED', detail }
}

const overMembers = exceeded('7 members per workspace (MAX_MEMBERS_PER_WORKSPACE)')
const overInvitations = exceeded(
  '2 pending invitations per workspace (MAX_PENDING_INVITATIONS_PER_WORKSPACE)',
)
const overGroups = exceeded('2 groups per workspace (MAX_GROUPS_PER_WORKSPACE)')
const overWorkspaces = exceeded('2 workspaces per user (MAX_WORKSPACES_PER_USER)')

const newAddress = () => `guest-${randomUUID()}@example.com`

/** Retries a call that timed out waiting for the lock of the workspace. */
async function callUntilAvailable(
  transport: Transport,
  ...call: Parameters<Transport['call']>
): Promise<Outcome> {
  for (;;) {
    const outcome = await transport.call(...call)
    if (outcome.ok || outcome.code !== 'unavailable') return outcome
  }
}

function split(outcomes: Outcome[]) {
  return { accepted: outcomes.filter(({ ok }) => ok), refused: outcomes.filter(({ ok }) => !ok) }
}

for (const [index, transport] of environment.transports.entries()) {
  const over = `over ${transport.label}`
  const nodes = [transport, second.transports[index] ?? transport]
  /** Makes 6 concurrent calls through two nodes. */
  const callConcurrently = (method: string, message: () => object, credentials: object) =>
    Promise.all(
      Array.from({ length: 6 }, (_, call) =>
        callUntilAvailable(nodes[call % 2] ?? transport, method, message(), credentials),
      ),
    ).then(split)

  test.serial(`concurrent invitations do not exceed the quotas ${over}`, async (t) => {
    const { workspace, people } = await createWorkspaceFixture(environment, transport)
    const admin = { token: people.admin.token }
    const invitation = () => ({ workspace_id: workspace, email: newAddress() })
    const { accepted, refused } = await callConcurrently('InviteMember', invitation, admin)
    t.is(accepted.length, 2)
    for (const outcome of refused) t.like(outcome, overInvitations)

    // Changing a pending invitation does not count as a new one.
    const { rows } = await pool.query(
      `select u.email from members m join users u on u.id = m.user_id
       where m.workspace_id = $1 and m.joined_at is null`,
      [workspace],
    )
    t.is(rows.length, 2)
    const [{ email }] = rows
    const changed = { workspace_id: workspace, email, role: 'editor' }
    expectOk(await transport.call('InviteMember', changed, admin))

    // An accepted invitation counts as a member and no longer as pending.
    await pool.query('update members set joined_at = now() where workspace_id = $1', [workspace])
    expectOk(await transport.call('InviteMember', invitation(), admin))
    t.like(await transport.call('InviteMember', invitation(), admin), overMembers)
    const user_id = await seed.user()
    const { call } = await createAdmin(environment)
    const added = { user_id, workspace_id: workspace }
    t.like(await call(transport, 'AddUserToWorkspace', added), overMembers)
    t.like(await call(transport, 'InviteMember', invitation()), overMembers)

    const removed = { workspace_id: workspace, user_id: people.viewer.id }
    expectOk(await transport.call('RemoveMember', removed, admin))
    expectOk(await call(transport, 'AddUserToWorkspace', added))
  })

  test.serial(`concurrent groups do not exceed the quota ${over}`, async (t) => {
    const { workspace, people } = await createWorkspaceFixture(environment, transport)
    const group = () => ({ workspace_id: workspace, name: randomUUID() })
    const { accepted, refused } = await callConcurrently('CreateGroup', group, {
      token: people.admin.token,
    })
    t.is(accepted.length, 2)
    for (const outcome of refused) t.like(outcome, overGroups)
    const { call } = await createAdmin(environment)
    t.like(await call(transport, 'CreateGroup', group()), overGroups)
  })

  test.serial(`rows of an import that exceed a quota are errors ${over}`, async (t) => {
    const { workspace } = await createWorkspaceFixture(environment, transport)
    const { call } = await createAdmin(environment)
    const slug = `w-${workspace}`
    const rows = ['One;Two', 'Two;Three', '', ''].map(
      (groups) => `${newAddress()},${slug},${groups}`,
    )
    const csv = ['email,workspace_slug,groups', ...rows].join('\n')
    const report = expectOk(await call(transport, 'PreviewCsvImport', { csv }))
    t.deepEqual(
      report.rows.map(({ errors }: { errors: object[] }) => errors),
      [
        [],
        [{ field: 'groups', message: overGroups.detail.replace('Exceeds', 'exceeds') }],
        [],
        [{ field: 'email', message: overInvitations.detail.replace('Exceeds', 'exceeds') }],
      ],
    )
    t.like(await call(transport, 'ExecuteCsvImport', { csv }), {
      ok: false,
      reason: 'ROWS_HAVE_ERRORS',
    })
    const accepted = ['email,workspace_slug,groups', rows[0], rows[2]].join('\n')
    expectOk(await call(transport, 'ExecuteCsvImport', { csv: accepted }))
    const invitation = { workspace_id: workspace, email: newAddress() }
    t.like(await call(transport, 'InviteMember', invitation), overInvitations)
  })

  test.serial(`concurrent workspaces of a user do not exceed the quota ${over}`, async (t) => {
    const { workspace, people } = await createWorkspaceFixture(environment, transport)
    // Others could exhaust the quota of a user by inviting them.
    for (let count = 0; count < 3; count += 1) {
      const otherWorkspace = await seed.workspace()
      const invited = [otherWorkspace, people.viewer.id]
      await pool.query(
        `insert into members (workspace_id, user_id, role) values ($1, $2, 'owner')`,
        invited,
      )
    }
    const created = () => ({ name: 'Another', slug: `another-${randomUUID()}` })
    const { accepted, refused } = await callConcurrently('CreateWorkspace', created, {
      token: people.viewer.token,
    })
    t.is(accepted.length, 2)
    for (const outcome of refused) t.like(outcome, overWorkspaces)
    t.truthy(workspace)

    const { call } = await createAdmin(environment)
    expectOk(await call(transport, 'CreateWorkspace', created()))
    expectOk(await call(transport, 'CreateWorkspace', created()))
    t.like(await call(transport, 'CreateWorkspace', created()), overWorkspaces)
  })
}
