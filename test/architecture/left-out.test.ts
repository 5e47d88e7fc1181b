import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { fromBinary } from '@bufbuild/protobuf'
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt'
import { Client, credentials } from '@grpc/grpc-js'
import test, { type ExecutionContext } from 'ava'
import protobuf from 'protobufjs'
import { createSecret, hashSecret } from '../../src/identity/secret.ts'
import { readRegistry } from '../../src/rpc/descriptors.ts'
import {
  type Declaration,
  readForeignMethods,
  readMethods,
  readWatches,
} from '../../src/rpc/method.ts'
import { features } from '../../src/server/features.ts'
import { grpcServices } from '../../src/server/grpc-services.ts'
import {
  copyRepository,
  leaveOut,
  leaveOutCommand,
  removeLines,
} from '../support/repository-copy.ts'
import { createKeyFolder, sourcesIn, startServer } from '../support/server-process.ts'
import { createPkce } from '../support/sign-in.ts'
import { startTestEnvironment } from '../support/test-environment.ts'
import type { Transport } from '../support/transports.ts'
import { createWorkspaceFixture } from '../support/workspace-fixture.ts'

const run = promisify(execFile)

/** What goes with a feature outside its folders. */
type LeftOut = {
  /** Tests of several features, which name the events, settings or stores of each. */
  sharedTests?: string[]
  /** Tests and measurements elsewhere that import its files. */
  dependents?: string[]
  /** The commands that need it. */
  commands?: string[]
}

/**
 * The features that a server can do without. Their order chooses what is left out together. A feature that needs
 * another one needs a place where a test below passes.
 */
const optional = {
  gateway: { sharedTests: ['test/activity/events.test.ts'] },
  'csv-import': {
    sharedTests: ['test/activity/events.test.ts'],
    dependents: ['bench/import.ts'],
    commands: ['import', 'migrate-from'],
  },
  webhooks: {
    sharedTests: ['test/activity/events.test.ts', 'test/admin/user-data.test.ts'],
    dependents: [
      ...['feed-jobs', 'feed', 'run', 'daikon-server'].map((name) => `bench/${name}.ts`),
      'test/activity/agents.test.ts',
    ],
  },
  delegations: { sharedTests: ['test/activity/events.test.ts'] },
  scim: {
    sharedTests: ['test/activity/events.test.ts'],
  },
  links: { sharedTests: ['test/activity/events.test.ts'] },
  'email-sign-in': {
    sharedTests: [
      'bench/sign-in.ts',
      'test/account/mails.test.ts',
      'test/activity/events.test.ts',
      'test/connections/sign-in-page.test.ts',
      'test/resilience/own-sign-in-rollout.test.ts',
      'test/support/email-sign-in.ts',
    ],
    dependents: ['bench/sign-in-server.ts'],
  },
  passkeys: { sharedTests: ['test/activity/events.test.ts'] },
  'client-metadata': { dependents: ['test/consent/third-party-clients.test.ts'] },
  consent: { sharedTests: ['test/activity/events.test.ts'] },
  connections: {
    sharedTests: ['test/activity/events.test.ts', 'test/identity/follow-address.test.ts'],
  },
  'api-resources': { sharedTests: ['test/activity/events.test.ts'] },
  account: { sharedTests: ['test/activity/events.test.ts'] },
  following: {},
  'access-keys': {
    dependents: ['access-copy', 'access-watch'].map((name) => `test/support/${name}.ts`),
  },
  console: {
    sharedTests: ['test/architecture/deployment.test.ts'],
    dependents: [
      'bench/console.ts',
      'test/http/browser-client.test.ts',
      'test/http/console.test.ts',
      'test/identity/oauth/console-client.test.ts',
      'test/permissions/grant-kinds.test.ts',
    ],
  },
} satisfies Record<string, LeftOut>

type Name = keyof typeof optional

const describe = (name: Name): LeftOut => optional[name]

/** The features that bring no method. */
const withoutMethods: Name[] = ['console', 'api-resources', 'client-metadata']

const registry = readRegistry()
const methods = readMethods(registry)
const environment = await startTestEnvironment()
const { databaseUrl, pool, seed } = environment
const [transport] = environment.transports as [Transport]
const fixture = await createWorkspaceFixture(environment, transport)
test.after.always(() => environment.stop())

/** The folder of the keys that sign the tokens of the environment. */
const keys = process.env.TEST_KEYS ?? ''

/** Returns features and those that need them. */
function withDependents(names: Name[]): Name[] {
  const needing = features.filter(({ needs }) =>
    names.some((name) => (needs as readonly string[]).includes(name)),
  )
  const all = [...new Set([...names, ...needing.map(({ name }) => name as Name)])]
  return all.length === names.length ? names : withDependents(all)
}

/** The 20 ways to choose three of six, as bits. */
const threeOfSix = Array.from({ length: 64 }, (_, bits) => bits).filter(
  (bits) => bits.toString(2).replaceAll('0', '').length === 3,
)

/**
 * What is left out together: each feature in three of six groups, no two in the same three. So of any two
 * features, each is left out of a server that has the other.
 */
const groups = [0, 1, 2, 3, 4, 5].map((group) => {
  const names = Object.keys(optional) as Name[]
  return withDependents(names.filter((_, index) => ((threeOfSix[index] ?? 0) >> group) & 1))
})

/** Leaves out features and their commands. Returns the files that went as well. */
function leaveOutAll(copy: string, names: Name[]): string[] {
  for (const command of names.flatMap((name) => describe(name).commands ?? []))
    leaveOutCommand(copy, command)
  removeLines(join(copy, 'src/cli/admin-handlers.ts'), (line) =>
    names.some((name) => line.includes(`'../${name}/`)),
  )
  return leaveOut(copy, names)
}

/** Returns the names of the handlers of a feature, such as `AdminService listWebhooks`. */
async function listHandlers(name: Name): Promise<string[]> {
  const feature = features.find((feature) => feature.name === name)
  const parts = await feature?.load()
  const handlers = parts?.createHandlers({ database: {}, engine: {}, settings: {} } as never)
  return Object.entries<object>(handlers ?? {}).flatMap(([service, brought]) =>
    Object.keys(brought).map((key) => `${service} ${key}`),
  )
}

test('of two features that do not need each other, each is left out of a server that has the other', (t) => {
  for (const left of Object.keys(optional) as Name[])
    for (const kept of Object.keys(optional) as Name[]) {
      if (withDependents([left]).includes(kept)) continue
      t.true(
        groups.some((names) => names.includes(left) && !names.includes(kept)),
        `${left}, ${kept}`,
      )
    }
})

for (const names of groups)
  test.serial(
    `a server without ${names.join(', ')} has valid types and serves the rest`,
    async (t) => {
      t.timeout(600_000)
      const copy = copyRepository(t)
      const removed = leaveOutAll(copy, names)
      const dependent = removed.filter((file) => !file.startsWith('test/clients/'))
      const expected = new Set(names.flatMap((name) => describe(name).dependents ?? []))
      const isInFolder = (file: string) => names.some((name) => file.startsWith(`test/${name}/`))
      t.deepEqual(dependent.sort(), [...expected].filter((file) => !isInFolder(file)).sort())
      for (const file of names.flatMap((name) => describe(name).sharedTests ?? []))
        rmSync(join(copy, file), { force: true })
      t.is(await findTypeErrors(copy), '')

      const settings = { DATABASE_URL: databaseUrl, DEBUG: 'true', RATE_LIMIT_ENABLED: 'false' }
      const server = await startServer(t, keys, settings, sourcesIn(copy))
      const brought = await Promise.all(names.map(listHandlers))
      const callable = [...methods, ...readWatches(registry)]
      for (const [index, name] of names.entries()) {
        const isBrought = callable.some(({ service, key }) =>
          brought[index]?.includes(`${service} ${key}`),
        )
        t.is(isBrought, !withoutMethods.includes(name), name)
      }
      const handlers = brought.flat()
      const isGone = ({ service, key }: Pick<Declaration, 'service' | 'key'>) =>
        handlers.includes(`${service} ${key}`)
      const fetchJson = async (path: string, init?: RequestInit) => {
        const response = await fetch(`http://127.0.0.1:${server.httpPort}${path}`, init)
        return { status: response.status, body: (await response.json()) as any }
      }

      const { paths } = (await fetchJson('/openapi.json')).body
      const documented = Object.values<Record<string, { operationId: string }>>(paths)
        .flatMap((verbs) => Object.values(verbs))
        .map(({ operationId }) => operationId)
      const idOf = ({ service, descriptor }: Declaration) => `${service}_${descriptor.name}`
      t.deepEqual(
        methods.filter((method) => documented.includes(idOf(method)) === isGone(method)).map(idOf),
        [],
      )

      const gone = methods.filter(isGone)
      for (const { routes } of gone)
        for (const { verb, path } of routes) {
          const url = path.replace(/\{\w+\}/g, '00000000-0000-4000-8000-000000000000')
          const { status, body } = await fetchJson(url, { method: verb.toUpperCase() })
          // Paths such as /permissions/routes also have the form of another route, for other verbs.
          const isOther = status === 405 && body.reason === 'METHOD_NOT_ALLOWED'
          t.true(isOther || (status === 404 && body.reason === 'NO_SUCH_ROUTE'), `${verb} ${path}`)
        }

      const client = new Client(`127.0.0.1:${server.grpcPort}`, credentials.createInsecure())
      t.teardown(() => client.close())
      const unserved = [...gone, ...readForeignMethods(registry).filter(isGone)].filter(
        ({ service }) => service === 'Authorization' || Object.hasOwn(grpcServices, service),
      )
      for (const method of unserved)
        t.is(await call(client, `/${method.name}`), unimplemented, method.name)
      t.not(await call(client, '/daikon.v1.AuthService/GetMe'), undefined)

      const reflected = await reflect(client, { listServices: '' })
      const listed: string[] = reflected.listServicesResponse.service.map(
        ({ name }: { name: string }) => name,
      )
      for (const [service, definition] of Object.entries(grpcServices)) {
        const keys = Object.keys(definition)
        const served = keys.filter((key) => !isGone({ service, key }))
        t.is(listed.includes(`daikon.v1.${service}`), served.length > 0, service)
        if (served.length === 0) continue
        const found = await reflect(client, { fileContainingSymbol: `daikon.v1.${service}` })
        const described = found.fileDescriptorResponse.fileDescriptorProto
          .map((bytes: Uint8Array) => fromBinary(FileDescriptorProtoSchema, bytes))
          .flatMap(
            (file: { service: { name: string; method: { name: string }[] }[] }) => file.service,
          )
          .find((found: { name: string }) => found.name === service)
        t.deepEqual(
          described.method.map(({ name }: { name: string }) => name.toLowerCase()).sort(),
          served.map((key) => key.toLowerCase()).sort(),
          service,
        )
      }

      for (const document of ['openid-configuration', 'oauth-authorization-server'])
        t.is((await fetchJson(`/.well-known/${document}`)).status, 200, document)

      await checkAsInReadme(t, copy, server.httpPort)
    },
  )

test.serial(
  'without connections, a workspace that enforces one refuses other sign-ins',
  async (t) => {
    t.timeout(600_000)
    const copy = copyRepository(t)
    leaveOutAll(copy, withDependents(['connections']))
    const server = await startServer(
      t,
      createKeyFolder(t),
      { DATABASE_URL: databaseUrl },
      sourcesIn(copy),
    )
    const workspace_id = await seed.workspace()
    const domain = `${workspace_id}.test`
    const user = await seed.user('owner', { email: `owner@${domain}` })
    await seed.member(workspace_id, user, 'owner')
    const signIn = async () => {
      const code = createSecret()
      const { verifier: code_verifier, challenge } = createPkce()
      await pool.query(
        `insert into authorization_codes (code_hash, user_id, provider, code_challenge, expires_at)
        values ($1, $2, 'github', $3, now() + interval '10 minutes')`,
        [hashSecret(code), user, challenge],
      )
      const response = await fetch(`http://127.0.0.1:${server.httpPort}/auth/token`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ code, workspace_id, code_verifier }),
      })
      return { status: response.status, body: (await response.json()) as Record<string, string> }
    }

    const connection = await seed.connection(workspace_id, 'https://idp.test', { enforced: true })
    await seed.connectionDomain(connection, workspace_id, domain)
    const { status, body: tokens } = await signIn()
    t.is(status, 200)
    await pool.query('update connection_domains set verified_at = now()')
    const refused = await signIn()
    t.is(refused.status, 403)
    t.is(refused.body.reason, 'CONNECTION_REQUIRED')
    const refreshed = await fetch(`http://127.0.0.1:${server.httpPort}/auth/refresh`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ refresh_token: tokens.refresh_token }),
    })
    t.is(refreshed.status, 401)
  },
)

for (const [title, remove] of [
  ['migrate-from', (copy: string) => leaveOutCommand(copy, 'migrate-from')],
  ['csv-import', (copy: string) => leaveOutAll(copy, ['csv-import'])],
] as const)
  test.serial(`the command line works without ${title}`, async (t) => {
    t.timeout(600_000)
    const copy = copyRepository(t)
    remove(copy)
    if (title === 'migrate-from') t.is(await findTypeErrors(copy), '')
    const help = await run(process.execPath, ['src/daikon.ts', '--help'], { cwd: copy })
    t.regex(help.stdout, /resources/)
    t.notRegex(help.stdout, /migrate-from/)
    t.is(/ import /.test(help.stdout), title === 'migrate-from')
  })

/** Registers, checks and shares a resource over REST, as README.md does, with a token of the command. */
async function checkAsInReadme(t: ExecutionContext, copy: string, httpPort: number): Promise<void> {
  const { workspace, key, kind, people } = fixture
  const { rows } = await pool.query<{ email: string; slug: string }>(
    'select u.email, w.slug from users u, workspaces w where u.id = $1 and w.id = $2',
    [people.editor.id, workspace],
  )
  const [{ email, slug }] = rows as [{ email: string; slug: string }]
  const paths = {
    JWT_PRIVATE_KEY_PATH: join(keys, 'private.pem'),
    JWT_PUBLIC_KEY_PATH: join(keys, 'public.pem'),
  }
  const env = { ...process.env, DATABASE_URL: databaseUrl, DEBUG: 'true', ...paths }
  const command = ['src/daikon.ts', 'token', '--email', email, '--workspace', slug]
  const owner = (await run(process.execPath, command, { cwd: copy, env })).stdout.trim()
  const reader = people.viewer.token
  const post = async (path: string, body: object, token?: string) => {
    const response = await fetch(`http://127.0.0.1:${httpPort}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-service-key': key,
        ...(token && { authorization: `Bearer ${token}` }),
      },
      body: JSON.stringify(body),
    })
    const message = (await response.json()) as any
    t.true(response.ok, `${path}: ${JSON.stringify(message)}`)
    return message
  }
  const resource = { ...kind, resource_id: randomUUID() }
  const isAllowed = async (token: string) => {
    const checks = [{ ...resource, action: 'edit' }]
    return (await post('/permissions/check', { checks }, token)).results[0].allowed
  }
  const registered = { ...resource, workspace_id: workspace, owner_id: people.editor.id }
  const { id } = await post('/permissions/register', registered)
  t.deepEqual([await isAllowed(owner), await isAllowed(reader)], [true, false])
  const share = { grantee_type: 'user', grantee_id: people.viewer.id, permission: 'edit' }
  await post(`/permissions/${id}/share`, share, owner)
  t.true(await isAllowed(reader))
}

/** Returns what the compiler prints about a copy of the repository. */
async function findTypeErrors(copy: string): Promise<string> {
  const tsc = join(copy, 'node_modules/.bin/tsc')
  // Takes half the processor time of several checkers, which create the same types, and of collecting garbage.
  const args = ['--noEmit', '-p', 'tsconfig.json', '--checkers', '1']
  const env = { ...process.env, GOGC: 'off' }
  const checked = await run(tsc, args, { cwd: copy, env }).catch((error) => error)
  return checked.stdout
}

const unimplemented = 12

/** Returns the status of a call with an empty message. */
function call(client: Client, path: string): Promise<number | undefined> {
  const same = (bytes: Buffer) => bytes
  return new Promise((resolve) => {
    client.makeUnaryRequest(path, same, same, Buffer.alloc(0), (error) => resolve(error?.code))
  })
}

const reflection = protobuf.parse(`syntax = "proto3";
  message Request { oneof message_request { string file_containing_symbol = 4; string list_services = 7; } }
  message Files { repeated bytes file_descriptor_proto = 1; }
  message Service { string name = 1; }
  message Services { repeated Service service = 1; }
  message Response { oneof message_response {
    Files file_descriptor_response = 4; Services list_services_response = 6; } }`).root

/** Sends one request of server reflection. */
function reflect(client: Client, request: object): Promise<any> {
  const [Request, Response] = ['Request', 'Response'].map((name) => reflection.lookupType(name))
  const stream = client.makeBidiStreamRequest(
    '/grpc.reflection.v1.ServerReflection/ServerReflectionInfo',
    (message: object) => Buffer.from(Request?.encode(message).finish() ?? []),
    (bytes: Buffer) => Response?.decode(bytes),
  )
  return new Promise((resolve, reject) => {
    stream.on('data', (message) => {
      resolve(message)
      stream.cancel()
    })
    stream.on('error', reject)
    stream.write(request)
  })
}
