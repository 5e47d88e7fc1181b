import { randomUUID } from 'node:crypto'
import test from 'ava'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { createDaikon as createFetchDaikon } from '../../clients/typescript/src/fetch.ts'
import { parsePosition } from '../support/positions.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const environment = await startTestEnvironment()
const { grpcPort, httpPort } = environment
const [transport] = environment.transports as [Transport]
const {
  people,
  key: serviceKey,
  service,
  workspace,
} = await createWorkspaceFixture(environment, transport)
test.after.always(() => environment.stop())

const options = { service, serviceKey, deadlineMs: 60_000 }

const clients = {
  gRPC: createDaikon({ address: `127.0.0.1:${grpcPort}`, ...options }),
  fetch: createFetchDaikon({ url: `http://127.0.0.1:${httpPort}`, ...options }),
}

for (const [name, daikon] of Object.entries(clients)) {
  test(`changes return positions over ${name}, and reads none`, async (t) => {
    t.teardown(() => daikon.close())
    const registration = () => ({
      type: 'document',
      id: randomUUID(),
      workspaceId: workspace,
      ownerId: people.owner.id,
    })
    const resource = registration()
    const grantee = { userId: people.viewer.id }
    const as = people.owner.token
    const changes = [
      await daikon.register(resource),
      ...(await daikon.registerMany([registration(), registration()])),
      await daikon.share(resource, grantee, 'view', { as }),
      ...(await daikon.shareMany([{ resource, grantee, grant: 'edit' }])),
      await daikon.createLink(resource, 'view', { as }),
      await daikon.setVisibility(resource, 'workspace'),
      await daikon.setParent(resource, null),
      await daikon.transfer(resource, people.admin.id),
    ]
    for (const { position = '' } of changes) t.truthy(parsePosition(position))
    const read = await daikon.get(resource)
    t.false('position' in read)
    t.false('position' in (read.shares[0] ?? {}))
  })
}
