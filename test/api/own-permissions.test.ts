import { randomUUID } from 'node:crypto'
import test from 'ava'
import { expectError, expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  test(`users check and list their own permissions without a service key ${over}`, async (t) => {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, kind, workspace } = fixture
    const records = [await fixture.register(people.viewer), await fixture.register(people.owner)]
    const ids = records.map(({ resource_id }) => resource_id).toSorted()
    for (const workspaceId of [undefined, workspace, workspace.toUpperCase()]) {
      for (const [person, action, expected] of [
        [people.viewer, 'manage', [records[0]?.resource_id]],
        [people.owner, 'manage', ids],
        [people.editor, 'view', []],
      ] as const) {
        const { token } = person
        const checks = ids.map((resource_id) => ({ ...kind, resource_id, action }))
        const message = { checks, workspace_id: workspaceId }
        const checked = await transport.call('CheckMyPermissions', message, { token })
        const allowed = expectOk(checked).results.filter((result: any) => result.allowed)
        t.deepEqual(
          allowed.map(({ resource_id }: any) => resource_id),
          expected,
        )
        const list = { ...kind, action, workspace_id: workspaceId }
        const listed = await transport.call('ListMyAccessibleResources', list, { token })
        t.deepEqual(expectOk(listed).resource_ids, expected)
      }
    }
  })

  test(`a user's call is limited to 100 items and to the workspace of the token ${over}`, async (t) => {
    const { people, kind } = await createWorkspaceFixture(environment, transport)
    const { token } = people.owner
    const check = { ...kind, resource_id: randomUUID(), action: 'view' }
    const call = (method: string, message: object) => transport.call(method, message, { token })
    t.true((await call('CheckMyPermissions', { checks: Array(100).fill(check) })).ok)
    const many = expectError(await call('CheckMyPermissions', { checks: Array(101).fill(check) }))
    t.deepEqual(many.violations, [{ field: 'checks', message: 'must contain at most 100 items' }])
    const list = { ...kind, action: 'view' }
    const long = expectError(await call('ListMyAccessibleResources', { ...list, limit: 101 }))
    t.deepEqual(long.violations, [{ field: 'limit', message: 'must be at most 100' }])
    const workspace_id = await environment.seed.workspace()
    for (const outcome of [
      await call('CheckMyPermissions', { checks: [check], workspace_id }),
      await call('ListMyAccessibleResources', { ...list, workspace_id }),
    ])
      t.like(outcome, { ok: false, code: 'permission_denied', reason: 'OTHER_WORKSPACE' })
  })
}
