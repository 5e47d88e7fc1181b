import { randomUUID } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, credentials, Metadata } from '@grpc/grpc-js'
import pg from 'pg'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { createKeyFiles, readKeys } from '../src/identity/keys.ts'
import { createTokens } from '../src/identity/tokens.ts'
import { grpcServices } from '../src/server/grpc-services.ts'
import { type ServerState, startBenchProcess, stopBenchProcesses } from './child-process.ts'
import { findMemberSearchStatement } from './member-search.ts'
import * as organization from './organization-data.ts'
import { latenciesOf } from './quantiles.ts'

/**
 * `node bench/organization.ts`: measures lists, searches, member changes and checks over gRPC.
 * Compares an organization of 100,000 users with one of 1,000, interleaved, one call at a time.
 * `--explain` also prints the plans of the member search.
 */
const rounds = 5
const callsARound = 40
const { idOf, kind, teamOf } = organization

/** An organization and its server. */
type OpenOrganization = Awaited<ReturnType<typeof openOrganization>>
type Call = (opened: OpenOrganization, n: number) => Promise<unknown>

const cases: Record<string, Call> = {
  'list members: the workspace of all': ({ callLargeWorkspace }) =>
    callLargeWorkspace('ListMembers'),
  'list members: a team': ({ callTeam }, n) => callTeam(n, 'ListMembers'),
  'search: one user’s e-mail': ({ callLargeWorkspace, rareTerm }, n) =>
    callLargeWorkspace('ListMembers', { q: rareTerm(n) }),
  'search: a common name': ({ callLargeWorkspace }) =>
    callLargeWorkspace('ListMembers', { q: 'maria' }),
  'search: a domain of all users': ({ callLargeWorkspace }) =>
    callLargeWorkspace('ListMembers', { q: 'example.com' }),
  'search: one letter': ({ callLargeWorkspace }) => callLargeWorkspace('ListMembers', { q: 'z' }),
  'search: no match': ({ callLargeWorkspace }) => callLargeWorkspace('ListMembers', { q: 'zqxq' }),
  'search: two letters without a match': ({ callLargeWorkspace }) =>
    callLargeWorkspace('ListMembers', { q: 'zq' }),
  'search: a common name in a team': ({ callTeam }, n) =>
    callTeam(n, 'ListMembers', { q: 'maria' }),
  'list workspaces of a user': ({ callTeam }, n) => callTeam(n, 'ListWorkspaces'),
  'list groups: the workspace of all': ({ callLargeWorkspace }) => callLargeWorkspace('ListGroups'),
  'list members of a group of 100': ({ callLargeWorkspace }) =>
    callLargeWorkspace('ListGroupMembers', { group_id: group }),
  'invite a new user': async ({ callLargeWorkspace, invitedUsers }, n) => {
    const message = { email: `invited-${n}-${randomUUID()}@example.com`, role: 'editor' }
    invitedUsers.push(
      ((await callLargeWorkspace('InviteMember', message)) as { user_id: string }).user_id,
    )
  },
  'change a role': ({ callLargeWorkspace }, n) => {
    const role = n % 2 ? 'viewer' : 'editor'
    return callLargeWorkspace('UpdateMember', { user_id: idOf('u', 900 - (n >> 1)), role })
  },
  'add to a group': ({ callLargeWorkspace, invitedUsers }, n) =>
    callLargeWorkspace('AddGroupMember', { group_id: group, user_id: invitedUsers[n] }),
  'remove from a group': ({ callLargeWorkspace, invitedUsers }, n) =>
    callLargeWorkspace('RemoveGroupMember', { group_id: group, user_id: invitedUsers[n] }),
  'remove a member': ({ callLargeWorkspace, invitedUsers }, n) =>
    callLargeWorkspace('RemoveMember', { user_id: invitedUsers[n] }),
  'check: a document of the team': ({ callCheck }, n) => callCheck(n),
}
const group = idOf('g', 0)
const methods = Object.values(grpcServices).flatMap((definition) => Object.values(definition))

const folder = join(tmpdir(), 'daikon-bench-people')
mkdirSync(folder, { recursive: true })
const keyPaths = {
  privatePath: join(folder, 'private.pem'),
  publicPath: join(folder, 'public.pem'),
}
if (!existsSync(keyPaths.privatePath)) createKeyFiles(keyPaths)
const keys = await readKeys(keyPaths)
const embedded = await startEmbedded({ dataDir: folder })

try {
  const organizations = [
    await openOrganization(organization.small),
    await openOrganization(organization.large),
  ] as const
  const rows: string[] = []
  for (const [name, call] of Object.entries(cases)) {
    const times: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, opened] of organizations.entries()) {
        for (let n = round * callsARound; n < (round + 1) * callsARound; n += 1) {
          const started = performance.now()
          await call(opened, n)
          times[index]?.push(performance.now() - started)
        }
      }
    }
    const [few, many] = [latenciesOf(times[0]), latenciesOf(times[1])]
    const ratio = many.p50 / few.p50
    const numbers = [few.p50, few.p99, many.p50, many.p99, ratio].map((value) => value.toFixed(2))
    rows.push(`| ${[name, ...numbers].join(' | ')} |`)
  }
  process.stdout.write(`
${cpus().length} × ${cpus()[0]?.model}, Node ${process.version}
${rounds} interleaved rounds of ${callsARound} calls, one at a time, over gRPC; milliseconds

| | 1,000 users: p50 | p99 | 100,000 users: p50 | p99 | ratio of p50 |
|---|--:|--:|--:|--:|--:|
${rows.join('\n')}
`)
  if (process.argv.includes('--explain')) await printPlans(organizations[1].url)
  for (const opened of organizations) await opened.close()
} finally {
  await stopBenchProcesses()
  await embedded.stop()
}

/** Opens an organization in its own database, with a server and functions that call it. */
async function openOrganization(size: organization.Organization) {
  const url = await ensureDatabase(`people_${size.users}`)
  await organization.ensureOrganization(url, size)
  const server = startBenchProcess('daikon-server.ts', url, ...Object.values(keyPaths))
  const { port } = await server.request<ServerState>({})
  const client = new Client(`127.0.0.1:${port}`, credentials.createInsecure())
  const tokens = createTokens({
    currentKeys: () => keys,
    issuer: 'http://localhost:8000',
    now: () => new Date(),
  })
  const knownTokens = new Map<string, string>()
  const invitedUsers: string[] = []

  async function tokenOf(person: number, workspace: number): Promise<string> {
    const name = `${person} ${workspace}`
    const profile = { sub: idOf('u', person), jti: randomUUID(), email: 'a@example.com', name: 'a' }
    const workspaceClaims = {
      wid: idOf('w', workspace),
      wslug: 'w',
      wrole: 'viewer' as const,
      groups: [],
    }
    const token =
      knownTokens.get(name) ??
      (await tokens.sign('access', { ...profile, ...workspaceClaims }, 3600))
    knownTokens.set(name, token)
    return token
  }

  async function call(person: number, workspace: number, method: string, message: object) {
    const token = await tokenOf(person, workspace)
    return send(client, method, { workspace_id: idOf('w', workspace), ...message }, token)
  }

  return {
    url,
    invitedUsers,
    /** Calls as an owner of the workspace of all users. */
    callLargeWorkspace: (method: string, message = {}) => call(0, 0, method, message),
    callTeam: (n: number, method: string, message = {}) =>
      call(n, teamOf(n, size), method, message),
    callCheck: (n: number) => {
      const checks = [{ ...kind, resource_id: idOf('r', n), action: 'view' }]
      return call(n, teamOf(n, size), 'Check', { checks })
    },
    /** Returns a search term that matches one user's e-mail address. */
    rareTerm: (n: number) => `person${size.users - 1 - n}@`,
    async close() {
      client.close()
      const pool = new pg.Client({ connectionString: url })
      await pool.connect()
      await pool.query(`delete from users where email like 'invited-%'`)
      await pool.end()
    },
  }
}

async function ensureDatabase(name: string): Promise<string> {
  const client = new pg.Client({ connectionString: embedded.url })
  await client.connect()
  const { rows } = await client.query('select 1 from pg_database where datname = $1', [name])
  if (rows.length === 0) await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(embedded.url)
  url.pathname = `/${name}`
  return url.href
}

function send(client: Client, name: string, message: object, token: string): Promise<unknown> {
  const method = methods.find(({ path }) => path.endsWith(`/${name}`))
  if (!method) throw new Error(`No method ${name}`)
  const metadata = new Metadata()
  metadata.set('authorization', `Bearer ${token}`)
  metadata.set('x-service-key', organization.serviceKey)
  return new Promise((resolve, reject) => {
    client.makeUnaryRequest(
      method.path,
      method.requestSerialize as (value: object) => Buffer,
      method.responseDeserialize as (bytes: Buffer) => object,
      message,
      metadata,
      (error, response) => (error ? reject(error) : resolve(response)),
    )
  })
}

/** Prints the plans of the member search. */
async function printPlans(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  const plans: string[] = []
  for (const q of ['turing 47111', 'person4711', 'zqxq', 'maria', 'example.com', undefined, 'zq']) {
    const { text, values } = await findMemberSearchStatement(idOf('w', 0), q)
    await client.query(text, values)
    const { rows } = await client.query(`explain (analyze, buffers) ${text}`, values)
    plans.push(`\nq = ${q ?? '(absent)'}`, ...rows.map((row) => row['QUERY PLAN'] as string))
  }
  await client.end()
  process.stdout.write(`${plans.join('\n')}\n`)
}
