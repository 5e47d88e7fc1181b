import { randomUUID } from 'node:crypto'
import test from 'ava'
import { connectToServer } from '../support/connect-to-server.ts'
import { cloneDatabase } from '../support/database.ts'
import { expectOk } from '../support/outcome.ts'
import { createKeyFolder, startServer } from '../support/server-process.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const database = await cloneDatabase()
test.after.always(() => database.drop())

const keys = ['time', 'event', 'request_id', 'service', 'subject', 'agent', 'delegation_id'].concat(
  ['workspace_id', 'action', 'resource', 'allowed', 'reason', 'duration_ms'],
)

test('each decision is one line of JSON on standard output', async (t) => {
  const folder = createKeyFolder(t)
  const settings = { DATABASE_URL: database.url, DECISION_LOG: 'all' }
  const server = await startServer(t, folder, settings)
  const environment = await connectToServer(folder, server, database)
  t.teardown(() => {
    for (const transport of environment.transports) transport.close()
  })
  for (const transport of environment.transports) {
    const fixture = await createWorkspaceFixture(environment, transport)
    const { people, kind, workspace } = fixture
    const { resource_id } = await fixture.register(people.owner)
    const request_id = randomUUID()
    const checks = ['view', 'a "quoted" \u2028 action'].map((action) => ({
      ...kind,
      resource_id,
      action,
    }))
    const credentials = { ...fixture.as(people.owner), headers: { 'x-request-id': request_id } }
    expectOk(await transport.call('Check', { checks }, credentials))
    await server.waitForLine(
      (line) => line.request_id === request_id && line.action === checks[1]?.action,
    )
    const lines = server
      .output()
      .split('\n')
      .filter((line) => line.includes(request_id) && line.includes('"decision"'))
      .map((line) => JSON.parse(line))
    t.is(lines.length, 2)
    for (const [index, line] of lines.entries()) {
      t.deepEqual(Object.keys(line), keys)
      t.like(line, {
        service: kind.service_name,
        subject: people.owner.id,
        workspace_id: workspace,
        action: checks[index]?.action,
        allowed: index === 0,
      })
    }
  }
})
