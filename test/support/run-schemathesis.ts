import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEmbedded } from '../../src/database/embedded/embedded-postgres.ts'
import type { DeclaredOperation } from '../../src/rpc/operation.ts'
import { sendRawHttp } from './raw-requests.ts'
import { createRequestFixture, type RequestFixture } from './request-fixture.ts'
import { createTemplateDatabase } from './template-database.ts'
import { startTestEnvironment, type TestEnvironment } from './test-environment.ts'
import type { Transport } from './transports.ts'

/**
 * `npm run test:schemathesis [-- <options of st run>]`: sends valid and invalid requests that
 * schemathesis generates from /openapi.json to every route, as each kind of caller.
 */
const command = process.env.SCHEMATHESIS ?? 'st'
const maxExamples = '8'
const adminUrl = 'http://localhost:9004'

/** The headers of each kind of caller. */
const callers: Record<string, (requests: RequestFixture) => Record<string, string>> = {
  nobody: () => ({}),
  user: ({ fixture }) => bearer(fixture.people.owner.token),
  service: ({ fixture }) => ({ 'X-Service-Key': fixture.key }),
  'service with user': ({ fixture }) => ({
    ...bearer(fixture.people.owner.token),
    'X-Service-Key': fixture.key,
  }),
  administrator: ({ admin }) => ({ Cookie: `admin_token=${admin.token}`, Origin: adminUrl }),
}

/** Operations that end the access of their caller: they run last. */
const isLast = ({ key }: DeclaredOperation) => /logout|^deleteWorkspace$/i.test(key)

const folder = mkdtempSync(join(tmpdir(), 'daikon-schemathesis-'))
const embedded = await startEmbedded({ dataDir: join(folder, 'data') })
process.env.TEST_DATABASE_URL = embedded.url
try {
  await createTemplateDatabase(embedded.url)
  const environment = await startTestEnvironment({ keysRequired: true })
  try {
    const failed: string[] = []
    for (const caller of Object.keys(callers)) {
      if (!(await testAs(environment, caller))) failed.push(caller)
    }
    const internal = environment.failures.filter(({ code }) => code === 'internal').length
    process.stdout.write(
      `schemathesis: ${failed.length === 0 ? 'passed' : `failed as ${failed.join(', ')}`}; ` +
        `${internal} internal errors\n`,
    )
    if (failed.length > 0 || internal > 0) process.exitCode = 1
  } finally {
    await environment.stop()
  }
} finally {
  await embedded.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Runs schemathesis as the caller with fresh data; returns whether all its checks passed. */
async function testAs(environment: TestEnvironment, caller: string): Promise<boolean> {
  const rest = environment.transports.find(({ name }) => name === 'rest') as Transport
  const requests = await createRequestFixture(environment, rest)
  const headers = Object.entries(callers[caller]?.(requests) ?? {})
  const { json: document } = await sendRawHttp(environment.httpPort, { path: '/openapi.json' })
  useLiveExamples(document, environment, requests)
  const schema = join(folder, 'openapi.json')
  writeFileSync(schema, JSON.stringify(document))
  const last = environment.app.operations
    .filter(isLast)
    .flatMap(({ routes }) => routes.map(({ verb, path }) => document.paths[path][verb].operationId))
  const args = [
    ['run', schema, '--no-color', '--url', `http://127.0.0.1:${environment.httpPort}`],
    ['--phases', 'examples,coverage,fuzzing', '--max-examples', maxExamples],
    ['--generation-database', 'none', '--seed', '17'],
    ['--continue-on-failure', '--warnings', 'off'],
    headers.flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
    process.argv.slice(2),
  ].flat()
  process.stdout.write(`\nAs ${caller}:\n`)
  const isPassing = await run([
    ...args,
    ...last.flatMap((id: string) => ['--exclude-operation-id', id]),
  ])
  const isLastPassing = await run([
    ...args,
    ...last.flatMap((id: string) => ['--include-operation-id', id]),
  ])
  return isPassing && isLastPassing
}

async function run(args: string[]): Promise<boolean> {
  const child = spawn(command, args, { cwd: folder, stdio: 'inherit' })
  const [status] = await once(child, 'close')
  return status === 0
}

/** Replaces the examples of the document with IDs of the fixture, so that valid requests succeed. */
function useLiveExamples(document: any, { app }: TestEnvironment, requests: RequestFixture): void {
  const operations = app.operations.filter(({ policy }) => policy.tier !== 'public')
  for (const operation of operations) {
    const message = requests.message(operation)
    for (const { verb, path } of operation.routes) {
      const { parameters, requestBody } = document.paths[path][verb]
      for (const parameter of parameters) {
        const value = message[parameter.name] ?? requests.values[parameter.name]
        if (parameter.required && value !== undefined) parameter.example = value
      }
      const json = requestBody?.content['application/json']
      if (!json) continue
      const fields = Object.entries(json.schema.properties).filter(([name]) => name in message)
      json.example = Object.fromEntries(fields.map(([name]) => [name, message[name]]))
    }
  }
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` }
}
