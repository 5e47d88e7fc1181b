import test from 'ava'
import { createDaikon } from '../../clients/typescript/src/daikon.ts'
import { createFakeDaikon, type FakeWorld } from '../../clients/typescript/src/testing.ts'
import { readClientCases, seedClientCases } from '../support/client-cases.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { runCase } from './run-case.ts'

const table = readClientCases()

/** What the expressions of the conditions in clients/cases.json say. */
const conditions: NonNullable<FakeWorld['conditions']> = {
  in_office: ({ context }) => context.network === 'office',
  up_to: ({ context, params }) => context.amount <= params.max,
  not_locked: ({ resource }) => !resource.attributes.locked,
  own: ({ resource, subject }) => resource.ownerId === subject.id,
}

test('the client returns the results of clients/cases.json for a real server', async (t) => {
  const environment = await startTestEnvironment()
  t.teardown(() => environment.stop())
  const { serviceKey, values } = await seedClientCases(environment, table)
  const address = `127.0.0.1:${environment.grpcPort}`
  const connect = (service: string) => {
    const daikon = createDaikon({ address, service, serviceKey, deadlineMs: 30_000 })
    t.teardown(() => daikon.close())
    return daikon
  }
  const daikon = connect(table.service)
  for (const row of table.cases)
    await runCase(t, row.service ? connect(row.service) : daikon, row, values)
})

test('the fake returns the results of clients/cases.json', async (t) => {
  const { service, world, values: ids } = table
  const workspaces = world.workspaces.map(({ id, name }) => ({ id, slug: name }))
  const fake = createFakeDaikon({ ...world, service, workspaces, conditions })
  const values = { ...ids }
  for (const { name, userId, workspaceId, state } of world.tokens) {
    const token = fake.token(userId, workspaceId, { seconds: state === 'expired' ? -60 : 900 })
    if (state === 'revoked') fake.revokeToken(token)
    values[name] = token
  }
  const { service: keyService } = table
  for (const row of table.cases) {
    if (row.needs === 'cel') continue
    const caller = row.service ? createFakeDaikon({ service: row.service, keyService }) : fake
    await runCase(t, caller, row, values)
  }
})
