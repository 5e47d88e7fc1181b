import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../src/database/embedded/embedded-postgres.ts'
import { readClientCases, seedClientCases } from './client-cases.ts'
import { insertDelegation } from './delegation-rows.ts'
import { createOAuthClient } from './oauth.ts'
import { createTemplateDatabase } from './template-database.ts'
import { startTestEnvironment } from './test-environment.ts'

/**
 * Starts a server with the world of clients/cases.json and prints one line of JSON: `address`
 * (gRPC), `url` (REST), `serviceKey` and `values`. Stops when standard input ends. Starts a
 * separate PostgreSQL server unless TEST_DATABASE_URL is set, as by `npm test`.
 */
// As in ava.config.js: its sessions must not be taken for a node of an older version.
process.env.PGAPPNAME = 'pg_tests'
const embedded = process.env.TEST_DATABASE_URL ? undefined : await startOwnDatabase()
const environment = await startTestEnvironment()
const { serviceKey, values } = await seedClientCases(environment, readClientCases())
const { grpcPort, httpPort } = environment
// Tokens of alice, whom a passkey or an account has signed in.
for (const [name, seconds, claims] of [
  ['by-passkey', 100, { acr: 'phr' }],
  ['by-passkey-before', 1000, { acr: 'phr' }],
  ['by-account', 100, {}],
  ['unconfirmed', 100, { auth_time_unconfirmed: true }],
] as const)
  values[`${name}.token`] = await signIn(seconds, claims)
// A client app to which bob has delegated what he may view.
const agent = await createOAuthClient(environment, { type: 'confidential' })
values['agent.id'] = agent.client_id
values['agent.secret'] = agent.client_secret ?? ''
values['agent.delegation'] = await insertDelegation(environment.pool, {
  user_id: values.bob ?? '',
  workspace_id: values.acme ?? '',
  service_name: readClientCases().service,
  agent_type: 'client',
  agent_id: agent.client_id,
})
const address = `127.0.0.1:${grpcPort}`
const url = `http://127.0.0.1:${httpPort}`
process.stdout.write(`${JSON.stringify({ address, url, serviceKey, values })}\n`)

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.stdin.destroy())
process.stdin.resume()
await new Promise((resolve) => process.stdin.once('close', resolve))
await environment.stop()
await embedded?.stop()

/** Signs a token of a session that began `seconds` ago. */
function signIn(seconds: number, claims: object): Promise<string> {
  const { alice: sub = '', acme: wid = '' } = values
  const person = { sub, jti: randomUUID(), email: 'alice@example.com', name: 'alice' }
  const workspace = { wid, wslug: 'acme', wrole: 'viewer' as const, groups: [] }
  const auth_time = Math.floor(Date.now() / 1000) - seconds
  return environment.app.tokens.sign(
    'access',
    { ...person, ...workspace, auth_time, ...claims },
    86_400,
  )
}

async function startOwnDatabase() {
  const dataDir = await mkdtemp(join(tmpdir(), 'daikon-cases-'))
  const database = await startEmbedded({ dataDir })
  await createTemplateDatabase(database.url)
  process.env.TEST_DATABASE_URL = database.url
  return {
    async stop() {
      await database.stop()
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}
