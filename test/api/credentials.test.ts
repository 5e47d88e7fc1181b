import { readFileSync, writeFileSync } from 'node:fs'
import { Client, credentials } from '@grpc/grpc-js'
import test from 'ava'
import { managementScopes } from '../../src/core/scopes.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import {
  type Declaration,
  readForeignMethods,
  readMethods,
  readStreams,
  readWatches,
} from '../../src/rpc/method.ts'
import { createCredentialKinds } from '../support/credential-kinds.ts'
import { formatCredentialTable, readCredentialTable } from '../support/credential-table.ts'
import { expectOk } from '../support/outcome.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const golden = new URL('../golden/credentials.txt', import.meta.url)
const environment = await startTestEnvironment()
const { grpcPort, httpPort } = environment
const client = new Client(`127.0.0.1:${grpcPort}`, credentials.createInsecure())
test.after.always(async () => {
  client.close()
  await environment.stop()
})

const registry = readRegistry()
const methods: Declaration[] = [
  ...readMethods(registry),
  ...readStreams(registry),
  ...readWatches(registry),
  ...readForeignMethods(registry),
]

/**
 * The file has a block for each set of methods that accept and refuse the same. UPDATE_GOLDEN=1 rewrites it.
 */
test('every method accepts the kinds of credentials recorded in test/golden/credentials.txt', async (t) => {
  const [transport] = environment.transports as [Transport]
  const fixture = await createWorkspaceFixture(environment, transport)
  const { workspace, service: service_name, key } = fixture
  const routes = [{ methods: [], path: '/', allow: 'authenticated' }]
  expectOk(await transport.call('PutRoutes', { service_name, routes }, { key }))
  const kinds = await createCredentialKinds(environment, fixture, managementScopes)

  const rows = await readCredentialTable({ httpPort, client }, methods, kinds, workspace)
  const text = formatCredentialTable(rows)
  if (process.env.UPDATE_GOLDEN) writeFileSync(golden, text)
  t.deepEqual(text.split('\n'), readFileSync(golden, 'utf8').split('\n'))
  t.deepEqual(environment.failures, [])
})
