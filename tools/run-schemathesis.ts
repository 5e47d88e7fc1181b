import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import type { DeclaredOperation } from '../src/rpc/operation.ts'
import { findBodySchema } from '../test/support/openapi-conformance.ts'
import { sendRawHttp } from '../test/support/raw-requests.ts'
import { createRequestFixture, type RequestFixture } from '../test/support/request-fixture.ts'
import { createTemplateDatabase } from '../test/support/template-database.ts'
import { startTestEnvironment, type TestEnvironment } from '../test/support/test-environment.ts'
import type { Transport } from '../test/support/transports.ts'

/**
 * `npm run test:schemathesis [-- <options of st run>]`: sends requests that schemathesis generates
 * from /openapi.json to every operation, as each kind of caller. Operations that a caller may use
 * receive many valid and invalid requests, and others receive one valid request. SCHEMATHESIS is
 * the path of `st`.
 */
const command = process.env.SCHEMATHESIS ?? 'st'
const adminUrl = 'http://localhost:9004'
const minimalRun = ['--phases', 'fuzzing', '--mode', 'positive', '--max-examples', '1']
const thoroughRun = ['--phases', 'examples,fuzzing', '--max-examples', '5']

type Caller = {
  name: string
  headers(requests: RequestFixture): Record<string, string>
  /** Whether the caller has the credentials that the operation requires. */
  mayUse(operation: DeclaredOperation): boolean
}

const callers: Caller[] = [
  {
    name: 'nobody',
    headers: () => ({}),
    mayUse: ({ policy }) => policy.tier === 'public',
  },
  {
    name: 'user',
    headers: ({ fixture }) => bearer(fixture.people.owner.token),
    mayUse: (operation) => operation.policy.tier === 'user' && !isAccountPage(operation),
  },
  {
    name: 'account page',
    headers: ({ accountToken }) => bearer(accountToken),
    mayUse: isAccountPage,
  },
  {
    name: 'service',
    headers: ({ fixture }) => ({ 'X-Service-Key': fixture.key }),
    mayUse: ({ policy }) => policy.tier === 'service',
  },
  {
    name: 'service on behalf of a user',
    headers: ({ fixture }) => ({
      ...bearer(fixture.people.owner.token),
      'X-Service-Key': fixture.key,
    }),
    mayUse: ({ policy }) => policy.tier === 'dual' || Boolean(policy.optionalUser),
  },
  {
    name: 'administrator',
    headers: ({ admin }) => ({ Cookie: `admin_token=${admin.token}`, Origin: adminUrl }),
    mayUse: ({ policy }) => policy.tier === 'admin',
  },
]

function isAccountPage({ policy }: DeclaredOperation): boolean {
  return policy.credentials.flat().includes('account_page')
}

/** Whether an operation ends the access of its caller. Such operations are tested last. */
const endsAccess = ({ key }: DeclaredOperation) => /logout|^deleteWorkspace$/i.test(key)

type Counts = { requests: number; failures: number }

if (spawnSync(command, ['--version']).status !== 0) {
  process.stderr.write('schemathesis is not installed. Run: pip install schemathesis==4.32.5\n')
  process.exit(2)
}
const folder = mkdtempSync(join(tmpdir(), 'daikon-schemathesis-'))
const embedded = await startEmbedded({ dataDir: join(folder, 'data') })
process.env.TEST_DATABASE_URL = embedded.url
try {
  await createTemplateDatabase(embedded.url)
  const environment = await startTestEnvironment({ SERVICE_KEYS_REQUIRED: true })
  try {
    let hasFailed = false
    for (const caller of callers) {
      const { requests, failures } = await testAs(environment, caller)
      process.stdout.write(`As ${caller.name}: ${requests} requests, ${failures} failures\n`)
      hasFailed ||= failures > 0
    }
    const serverErrors = environment.failures.length
    process.stdout.write(`${serverErrors} server errors\n`)
    if (hasFailed || serverErrors > 0) process.exitCode = 1
  } finally {
    await environment.stop()
  }
} finally {
  await embedded.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** Runs schemathesis as a caller, on separate data. */
async function testAs(environment: TestEnvironment, caller: Caller): Promise<Counts> {
  const [transport] = environment.transports as [Transport]
  const requests = await createRequestFixture(environment, transport)
  const { json: document } = await sendRawHttp(environment.httpPort, { path: '/openapi.json' })
  useLiveExamples(document, environment, requests)
  const { operations } = environment.app
  const operationIds = (isIncluded: (operation: DeclaredOperation) => boolean): string[] =>
    operations
      .filter(isIncluded)
      .flatMap(({ routes }) =>
        routes.map(({ verb, path }) => document.paths[path][verb].operationId),
      )
  const schema = join(folder, 'openapi.json')
  writeFileSync(schema, JSON.stringify(document))
  const headers = Object.entries(caller.headers(requests))
  const options = [
    schema,
    ...['--url', `http://127.0.0.1:${environment.httpPort}`],
    ...headers.flatMap(([name, value]) => ['--header', `${name}: ${value}`]),
  ]
  const total: Counts = { requests: 0, failures: 0 }
  const runs: [string[], string[]][] = [
    [minimalRun, operationIds((operation) => !caller.mayUse(operation))],
    [thoroughRun, operationIds((one) => caller.mayUse(one) && !endsAccess(one))],
    [thoroughRun, operationIds((one) => caller.mayUse(one) && endsAccess(one))],
  ]
  for (const [extent, ids] of runs) {
    if (ids.length === 0) continue
    const included = ids.flatMap((id) => ['--include-operation-id', id])
    const counts = await run([...options, ...extent, ...included])
    total.requests += counts.requests
    total.failures += counts.failures
  }
  return total
}

async function run(args: string[]): Promise<Counts> {
  const common = ['--no-color', '--continue-on-failure', '--warnings', 'off', '--seed', '17']
  // The headers contain the credentials of the caller.
  common.push('--generation-with-security-parameters', 'false')
  const config = join(import.meta.dirname, 'schemathesis.toml')
  const child = spawn(
    command,
    ['--config-file', config, 'run', ...args, ...common, ...process.argv.slice(2)],
    {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
      env: {
        ...process.env,
        SCHEMATHESIS_HOOKS: join(import.meta.dirname, 'schemathesis-hooks.py'),
      },
    },
  )
  const exited = once(child, 'close')
  const lines: string[] = []
  for await (const line of createInterface(child.stdout)) lines.push(line)
  const [status] = await exited
  const output = lines.join('\n')
  const [, requests, outcome = ''] = /(\d+) generated, (.*)/.exec(output) ?? []
  const [, failures = 0] = /(\d+) unique failures?/.exec(outcome) ?? []
  if (status !== 0) process.stdout.write(`${output}\n`)
  // Schemathesis also fails on errors that are not failures of a check, such as an invalid schema.
  return { requests: Number(requests ?? 0), failures: Number(failures) || Number(status !== 0) }
}

/**
 * Replaces the examples of the document with values of the fixture, so that valid requests succeed.
 */
function useLiveExamples(document: any, { app }: TestEnvironment, requests: RequestFixture): void {
  // The fixture has no values for sign-in.
  for (const operation of app.operations.filter(({ policy }) => policy.tier !== 'public')) {
    const message = requests.message(operation)
    for (const { verb, path } of operation.routes) {
      const { parameters, requestBody } = document.paths[path][verb]
      for (const parameter of parameters) {
        const value = message[parameter.name] ?? requests.values[parameter.name]
        if (parameter.required && value !== undefined) parameter.example = value
      }
      const file = requestBody?.content['text/csv']
      if (file) file.example = message.csv
      const json = requestBody?.content['application/json']
      if (!json) continue
      const { properties } = findBodySchema(document, path, verb)
      const fields = Object.keys(properties).filter((name) => name in message)
      json.example = Object.fromEntries(fields.map((name) => [name, message[name]]))
    }
  }
}

function bearer(token: string): Record<string, string> {
  return { Authorization: `Bearer ${token}` }
}
