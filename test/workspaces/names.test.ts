// Threat: a lookup by ID tells the admins of one workspace the names of another one.
import { randomUUID } from 'node:crypto'
import test from 'ava'
import { expectError, expectOk } from '../support/outcome.ts'
import { seedServiceAccount } from '../support/request-fixture.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { seed } = environment
test.after.always(() => environment.stop())

for (const transport of environment.transports) {
  const over = `over ${transport.label}`

  /** Creates a workspace with one object of each kind. */
  async function createObjects() {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { workspace, people } = fixture
    const action = await seed.serviceAction(`s-${randomUUID()}`, 'publish')
    const { id: permission } = await fixture.register(people.owner)
    const ids = {
      workspace,
      user: people.viewer.id,
      account: await seedServiceAccount(environment, workspace),
      group: await seed.group(workspace, []),
      role: await seed.customRole(workspace, [action], []),
      permission: permission as string,
    }
    return { ...fixture, ids }
  }

  test(`owners and admins look up names in their workspace alone ${over}`, async (t) => {
    const own = await createObjects()
    const foreign = await createObjects()
    const app = await seed.serviceApp(`s-${randomUUID()}`)
    const ids = [...Object.values(own.ids), ...Object.values(foreign.ids), app.id, randomUUID()]
    const message = { workspace_id: own.workspace, ids }
    for (const { token } of [own.people.owner, own.people.admin]) {
      const { names } = expectOk(await transport.call('LookUpWorkspaceNames', message, { token }))
      t.deepEqual(
        names.map(({ id }: { id: string }) => id).toSorted(),
        Object.values(own.ids).toSorted(),
      )
    }
    for (const { token } of [own.people.editor, own.people.viewer]) {
      const denied = await transport.call('LookUpWorkspaceNames', message, { token })
      t.is(expectError(denied).code, 'permission_denied')
    }
    const { token } = foreign.people.owner
    const denied = await transport.call('LookUpWorkspaceNames', message, { token })
    const unknown = { ...message, workspace_id: randomUUID() }
    const absent = await transport.call('LookUpWorkspaceNames', unknown, { token })
    t.is(expectError(denied).reason, expectError(absent).reason)
  })
}

test.after('no internal errors occurred', (t) => t.deepEqual(environment.failures, []))
