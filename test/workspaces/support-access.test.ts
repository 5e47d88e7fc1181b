import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createStores } from '../../src/server/stores.ts'
import { removeEndedMembers } from '../../src/workspaces/member-expiry.ts'
import { createAdmin } from '../support/admin.ts'
import { createManagementApp } from '../support/management-apps.ts'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { waitUntil } from '../support/wait-until.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { pool, seed } = environment
const admin = await createAdmin(environment)
test.after.always(() => environment.stop())

async function createScene(transport: Transport) {
  const fixture = await createWorkspaceFixture(environment, transport)
  const workspace_id = fixture.workspace
  const email = `${randomUUID()}@example.com`
  const helper = await seed.user('Helper', { email })
  const request = {
    workspace_id,
    user_id: helper,
    role: 'editor',
    reason: ' Ticket 7 ',
    minutes: 60,
  }
  const document = await fixture.register(fixture.people.owner, { visibility: 'workspace' })
  const checks = [{ ...fixture.kind, resource_id: document.resource_id, action: 'edit' }]
  return {
    ...fixture,
    helper,
    email,
    give: (changes: object = {}) =>
      admin.call(transport, 'GiveSupportAccess', { ...request, ...changes }),
    by: (person: 'owner' | 'admin', method: string, message: object = {}) =>
      transport.call(
        `WorkspaceService/${method}`,
        { workspace_id, ...message },
        { token: fixture.people[person].token },
      ),
    check: async () =>
      transport.call(
        'Check',
        { checks },
        {
          token: await environment.token(helper, workspace_id),
          key: fixture.key,
        },
      ),
    /** The entries about the helper that the owner of the workspace reads, oldest first. */
    entries: async () => {
      const token = fixture.people.owner.token
      const query = { workspace_id, target_id: helper }
      const page = expectOk(await transport.call('ListWorkspaceActivity', query, { token }))
      return page.items.toReversed() as { action: string; detail: object; actor_id?: string }[]
    },
  }
}

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`members see support access and its reason, and it ends by itself ${over}`, async (t) => {
    const { give, by, check, entries, helper, email } = await createScene(transport)
    const given = expectOk(await give())
    t.like(given, { user_id: helper, role: 'editor', status: 'active', support: true })
    t.true(expectOk(await check()).results[0].allowed)
    const { members } = expectOk(await by('admin', 'ListMembers'))
    t.deepEqual(
      members
        .filter(({ support }: { support: boolean }) => support)
        .map(({ user_id }: { user_id: string }) => user_id),
      [helper],
    )
    await pool.query("update members set expires_at = now() - interval '1 s' where user_id = $1", [
      helper,
    ])
    t.is(expectError(await check()).code, 'unauthenticated')
    // A removal skips members whom another removes at the same time.
    await waitUntil(async () => {
      await removeEndedMembers(createStores(environment.database.fork()), new Date())
      return (await entries()).length === 2
    })
    const [began, ended] = await entries()
    t.like(began, {
      action: 'member.support_began',
      actor_id: admin.id,
      detail: { email, role: 'editor', reason: 'Ticket 7', expires_at: given.expires_at },
    })
    t.like(ended, {
      action: 'member.support_ended',
      detail: { email, role: 'editor', reason: 'Ticket 7' },
    })
  })

  test(`an owner forbids support access, which ends it ${over}`, async (t) => {
    const { give, by, check, entries } = await createScene(transport)
    expectOk(await give())
    t.true(expectOk(await by('owner', 'GetWorkspace')).support_access)
    const forbidden = { support_access: false }
    t.is(expectError(await by('admin', 'UpdateWorkspace', forbidden)).reason, 'OWNER_REQUIRED')
    t.false(expectOk(await by('owner', 'UpdateWorkspace', forbidden)).support_access)
    t.is(expectError(await check()).code, 'unauthenticated')
    t.deepEqual(
      (await entries()).map(({ action }) => action),
      ['member.support_began', 'member.support_ended'],
    )
    t.is(expectError(await give()).reason, 'SUPPORT_ACCESS_FORBIDDEN')
    expectOk(await by('owner', 'UpdateWorkspace', { support_access: true }))
    expectOk(await give())
  })

  test(`an administrator cannot allow what an owner has forbidden ${over}`, async (t) => {
    const { give, by, workspace: workspace_id } = await createScene(transport)
    expectOk(await by('owner', 'UpdateWorkspace', { support_access: false }))
    const allowed = { workspace_id, support_access: true }
    const outcome = await admin.call(transport, 'UpdateWorkspace', allowed)
    t.is(expectError(outcome).reason, 'OWNER_REQUIRED')
    t.is(expectError(await give()).reason, 'SUPPORT_ACCESS_FORBIDDEN')
  })

  test(`support access is not extended, but can be ended early ${over}`, async (t) => {
    const { give, by, check, entries, helper: user_id } = await createScene(transport)
    expectOk(await give())
    t.is(expectError(await give()).reason, 'ALREADY_A_MEMBER')
    const extended = await by('owner', 'UpdateMember', { user_id, never_expires: true, role: '' })
    t.is(expectError(extended).reason, 'SUPPORT_ACCESS')
    expectOk(await by('admin', 'RemoveMember', { user_id }))
    t.is(expectError(await check()).code, 'unauthenticated')
    t.is((await entries()).at(-1)?.action, 'member.support_ended')
    expectOk(await give())
  })

  test(`invalid support access is refused ${over}`, async (t) => {
    const { give, people } = await createScene(transport)
    for (const [changes, field] of [
      [{ role: 'owner' }, 'role'],
      [{ reason: ' ' }, 'reason'],
      [{ minutes: 1441 }, 'minutes'],
      [{ minutes: 0 }, 'minutes'],
    ] as const) {
      const { violations } = expectError(await give(changes))
      t.deepEqual(
        violations.map((violation) => violation.field),
        [field],
      )
    }
    t.is(expectError(await give({ user_id: people.viewer.id })).reason, 'ALREADY_A_MEMBER')
    t.is(expectError(await give({ user_id: randomUUID() })).reason, 'USER_NOT_FOUND')
    t.is(expectError(await give({ workspace_id: randomUUID() })).reason, 'WORKSPACE_NOT_FOUND')
  })

  test(`only an administrator gives support access ${over}`, async (t) => {
    const { workspace: workspace_id, helper: user_id } = await createScene(transport)
    const { as } = await createManagementApp(transport, admin, 'workspaces:write')
    const message = { workspace_id, user_id, role: 'viewer', reason: 'Ticket', minutes: 5 }
    const outcome = await transport.call('GiveSupportAccess', message, as)
    t.is(expectError(outcome).reason, 'ADMINISTRATOR_REQUIRED')
  })
}
