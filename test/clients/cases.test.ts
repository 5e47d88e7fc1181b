import test from 'ava'
import type { ClientOptions } from '../../clients/typescript/src/create-client.ts'
import { createDaikon, type RemoteDaikon } from '../../clients/typescript/src/daikon.ts'
import { createDaikon as createFetchDaikon } from '../../clients/typescript/src/fetch.ts'
import { createFakeDaikon, type FakeWorld } from '../../clients/typescript/src/testing.ts'
import { forge, readClientCases, seedClientCases } from '../support/client-cases.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import { runCase } from './run-case.ts'

const table = readClientCases()

/** What the expressions of the conditions in clients/cases.json say. */
const conditions: NonNullable<FakeWorld['conditions']> = {
  in_office: ({ context }) => context.network === 'office',
  up_to: ({ context, params }) => context.amount <= params.max,
  not_locked: ({ resource }) => !resource.attributes.locked,
  not_guest: ({ subject }) => !subject.guest,
  own: ({ resource, subject }) => resource.ownerId === subject.id,
  by_person: ({ agent }) => agent.type === '',
  by_agent: ({ agent, params }) => agent.type === params.type && agent.id === params.id,
}

/** Creates a client of a service, over each transport. */
const transports: Record<
  string,
  (ports: { grpcPort: number; httpPort: number }, options: ClientOptions) => RemoteDaikon
> = {
  gRPC: ({ grpcPort }, options) => createDaikon({ address: `127.0.0.1:${grpcPort}`, ...options }),
  fetch: ({ httpPort }, options) =>
    createFetchDaikon({ url: `http://127.0.0.1:${httpPort}/`, ...options }),
}

for (const [name, connect] of Object.entries(transports))
  test(`the client returns the results of clients/cases.json for a real server over ${name}`, async (t) => {
    const environment = await startTestEnvironment()
    t.teardown(() => environment.stop())
    const { serviceKey, values } = await seedClientCases(environment, table)
    const create = (service: string) => {
      const daikon = connect(environment, { service, serviceKey, deadlineMs: 30_000 })
      t.teardown(() => daikon.close())
      return daikon
    }
    const daikon = create(table.service)
    for (const row of table.cases)
      await runCase(t, row.service ? create(row.service) : daikon, row, values)
  })

test('the fake returns the results of clients/cases.json', async (t) => {
  const { service, world, values: ids } = table
  const workspaces = world.workspaces.map(({ id, name }) => ({ id, slug: name }))
  const past = new Date(Date.now() - 60_000)
  const members = world.members.map(({ state, ...member }) => ({
    ...member,
    ...(state === 'left' && { expiresAt: past }),
  }))
  const delegations = world.delegations.map(({ state, ...delegation }) => ({
    ...delegation,
    ended: state === 'ended',
    ...(state === 'expired' && { expiresAt: past }),
  }))
  const fake = createFakeDaikon({
    ...world,
    service,
    workspaces,
    members,
    delegations,
    conditions,
  })
  const values = { ...ids }
  for (const { name, userId, workspaceId, state, ...row } of world.tokens) {
    const { resource: uri, scopes = [], delegation } = row
    const token = fake.token(userId, workspaceId, {
      seconds: state === 'expired' ? -60 : 900,
      ...(uri !== undefined && { resource: { uri, scopes } }),
      ...(delegation !== undefined && { delegation }),
    })
    if (state === 'revoked') fake.revokeToken(token)
    values[name] = state === 'forged' ? forge(token) : token
  }
  const { service: keyService } = table
  for (const row of table.cases) {
    if (row.needs === 'cel') continue
    const caller = row.service ? createFakeDaikon({ service: row.service, keyService }) : fake
    await runCase(t, caller, row, values)
  }
})
