import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { migrate } from '../src/database/migrate.ts'
import { createKeyFiles, readKeys } from '../src/identity/keys.ts'
import { createTokens } from '../src/identity/tokens.ts'
import { createSeed } from '../test/support/seed.ts'
import { type ServerState, startBenchProcess, stopBenchProcesses } from './child-process.ts'
import { cpuTimeOf, findPostmaster } from './cpu-time.ts'
import { quantileOf } from './quantiles.ts'

/**
 * `node bench/bulk-changes.ts [<items> [<items of a call>]]`: changes 500 people or members as the
 * console does, 50 a call and one call at a time, in a workspace of 10,000 members on the embedded
 * database. Reports the time of each action, and how long the calls of others take beside it: a read,
 * and a change of another member of the same workspace, whose lock the action holds at times.
 */
const items = Number(process.argv[2] ?? 500)
const partSize = Number(process.argv[3] ?? 50)
const people = 10_000

const folder = await mkdtemp(join(tmpdir(), 'daikon-bulk-changes-'))
const paths = { privatePath: join(folder, 'private.pem'), publicPath: join(folder, 'public.pem') }
createKeyFiles(paths)
const embedded = await startEmbedded({ dataDir: join(folder, 'data') })
try {
  await migrate(embedded.url)
  const { workspace, other, adminId, targets, neighbour } = await fill()
  const server = startBenchProcess('daikon-server.ts', embedded.url, ...Object.values(paths))
  const { httpPort } = await server.request<ServerState>({})
  const postmaster = await findPostmaster(embedded.url)
  const cookie = `admin_token=${await signAdminToken(adminId)}`

  async function call(method: string, path: string, body?: object): Promise<Answer> {
    const response = await fetch(`http://127.0.0.1:${httpPort}/admin${path}`, {
      method,
      headers: {
        cookie,
        origin: 'http://localhost:8000',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok) throw new Error(`${method} ${path}: ${await response.text()}`)
    return response.json() as Promise<Answer>
  }

  const members = `/workspaces/${workspace}/members`
  let changes = 0
  const others: Record<string, () => Promise<unknown>> = {
    read: () => call('GET', `/users/${neighbour}`),
    change: () => {
      changes += 1
      const role = changes % 2 ? 'editor' : 'viewer'
      return call('PATCH', `${members}/${neighbour}`, { role })
    },
  }

  /** Returns the seconds of CPU that the server and PostgreSQL have taken. */
  async function readCpu() {
    const { cpu } = await server.request<ServerState>({})
    return { node: cpu / 1e6, pg: cpuTimeOf(postmaster) / 1e6 }
  }

  /** Calls as others do, each again after a pause, until the work is done. Prints how long both take. */
  async function measure(label: string, work: () => Promise<unknown>): Promise<void> {
    let isDone = false
    const times = Object.entries(others).map(async ([name, run]) => {
      const taken: number[] = []
      while (!isDone) {
        const started = performance.now()
        await run()
        taken.push(performance.now() - started)
        await setTimeout(20)
      }
      const at = (share: number) => quantileOf(taken, share).toFixed(0)
      return `${name} p50 ${at(0.5)} ms, p99 ${at(0.99)} ms (${taken.length})`
    })
    const before = await readCpu()
    const started = performance.now()
    await work()
    const seconds = (performance.now() - started) / 1000
    const after = await readCpu()
    isDone = true
    const beside = (await Promise.all(times)).join('; ')
    const cpu = `CPU ${(after.node - before.node).toFixed(1)} s of the server, ${(after.pg - before.pg).toFixed(1)} s of PostgreSQL`
    process.stdout.write(`${label}: ${seconds.toFixed(2)} s; ${cpu}; beside it: ${beside}\n`)
  }

  /** Changes the targets in parts. Each must change. */
  const changeAll = (path: string, change: object) => async () => {
    for (let start = 0; start < targets.length; start += partSize) {
      const user_ids = targets.slice(start, start + partSize)
      const { failures } = await call('POST', path, { user_ids, ...change })
      if (failures.length > 0) throw new Error(JSON.stringify(failures[0]))
    }
  }

  const actions: Record<string, () => Promise<unknown>> = {
    'change role': changeAll(`${members}/batch`, { role: 'editor' }),
    'add to a workspace': changeAll(`/workspaces/${other}/members/invite/batch`, {
      role: 'viewer',
    }),
    deactivate: changeAll('/users/batch', { is_active: false }),
    activate: changeAll('/users/batch', { is_active: true }),
    remove: changeAll(`${members}/batch`, { remove: true }),
  }
  await measure('nothing', () => setTimeout(3000))
  for (const [name, work] of Object.entries(actions)) await measure(`${name}, ${items}`, work)
  process.stdout.write(`parts of ${partSize}; load ${loadavg()[0]?.toFixed(1)}\n`)
} finally {
  await stopBenchProcesses()
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}

type Answer = { failures: object[] }

/** Creates the workspaces. Each person to change is in a group and has a session. */
async function fill() {
  const pool = new pg.Pool({ connectionString: embedded.url, max: 1 })
  const seed = createSeed(pool)
  const adminId = await seed.user('admin', { is_admin: true })
  const [workspace, other] = [await seed.workspace(), await seed.workspace()]
  await seed.newMember(workspace, 'owner')
  await seed.newMember(other, 'owner')
  const ids = await seed.newMembers(workspace, Array(people).fill('viewer'))
  const targets = ids.slice(0, items)
  await seed.group(workspace, targets)
  await pool.query(
    `insert into refresh_families
       (id, user_id, workspace_id, provider, user_agent, created_at, last_used_at, expires_at)
     select gen_random_uuid(), id, $2, 'google', 'Chrome', now(), now(), now() + interval '1 day'
     from unnest($1::uuid[]) id`,
    [targets, workspace],
  )
  await pool.query('analyze')
  await pool.end()
  return { workspace, other, adminId, targets, neighbour: ids.at(-1) ?? '' }
}

async function signAdminToken(sub: string): Promise<string> {
  const keys = await readKeys(paths)
  const issuer = 'http://localhost:8000'
  const tokens = createTokens({ currentKeys: () => keys, issuer, now: () => new Date() })
  const profile = { sub, jti: randomUUID(), email: 'admin@example.com', name: 'admin' }
  return tokens.sign('admin_access', { ...profile, admin: true }, 3600)
}
