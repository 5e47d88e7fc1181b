import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { startEmbedded } from '../src/database/embedded/embedded-postgres.ts'
import { migrate } from '../src/database/migrate.ts'
import { createKeyFiles } from '../src/identity/keys.ts'
import { seedConnection, seedScimToken } from '../test/support/scim.ts'
import { createSeed } from '../test/support/seed.ts'
import { type ServerState, startBenchProcess, stopBenchProcesses } from './child-process.ts'
import { cpuTimeOf, findPostmaster } from './cpu-time.ts'
import { latenciesOf } from './quantiles.ts'

/**
 * `node bench/scim.ts [<users>]`: pushes 10,000 users and 100 groups by SCIM as Entra ID does, looking for each before
 * creating it, six requests at a time, on the embedded database. Then runs a second cycle, in which the directory looks
 * for all of them and changes one in a hundred. Reports times of each tenth of the users, which grow if a request costs
 * more in a larger workspace.
 */
const users = Number(process.argv[2] ?? 10_000)
const [inFlight, groupCount, membersAPatch] = [6, 100, 100]
const userSchema = 'urn:ietf:params:scim:schemas:core:2.0:User'
const groupSchema = 'urn:ietf:params:scim:schemas:core:2.0:Group'

/** A resource or a list of resources. */
type Answer = { id?: string; totalResults?: number; Resources?: { id: string }[] }

const folder = await mkdtemp(join(tmpdir(), 'daikon-scim-'))
const paths = {
  privatePath: join(folder, 'private.pem'),
  publicPath: join(folder, 'public.pem'),
}
createKeyFiles(paths)
const embedded = await startEmbedded({ dataDir: join(folder, 'data') })
const agent = new Agent({ keepAlive: true, maxSockets: inFlight })
try {
  await migrate(embedded.url)
  const { workspace, token } = await seedWorkspace()
  const server = startBenchProcess('daikon-server.ts', embedded.url, ...Object.values(paths))
  const { httpPort } = await server.request<ServerState>({})
  const postmaster = await findPostmaster(embedded.url)
  const times: number[] = []
  let busy = 0

  /** Sends a request, again after a second if the workspace was busy for too long, as directories do. */
  async function send(method: string, path: string, body?: object): Promise<Answer> {
    for (;;) {
      const started = performance.now()
      const { status, answer } = await sendOnce(method, path, body)
      times.push(performance.now() - started)
      if (status < 300) return answer
      if (status !== 503) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`)
      busy += 1
      await setTimeout(1000)
    }
  }

  async function sendOnce(method: string, path: string, body: object | undefined) {
    const sent = request({
      ...{ host: '127.0.0.1', port: httpPort, agent, method, path: `/scim/v2/${workspace}${path}` },
      headers: {
        authorization: `Bearer ${token}`,
        ...(body && { 'content-type': 'application/scim+json' }),
      },
    })
    sent.end(body && JSON.stringify(body))
    const [response]: [IncomingMessage] = (await once(sent, 'response')) as never
    const content = await text(response)
    const answer: Answer = content === '' ? {} : JSON.parse(content)
    return { status: response.statusCode ?? 0, answer }
  }

  /** Does the work for each number below `count`, some at a time, and reports what it took. */
  async function measure(label: string, count: number, work: (n: number) => Promise<unknown>) {
    times.length = 0
    busy = 0
    const before = { node: (await server.request<ServerState>({})).cpu, pg: cpuTimeOf(postmaster) }
    const started = performance.now()
    let next = 0
    const parts: number[] = []
    const take = async () => {
      while (next < count) {
        const n = next++
        await work(n)
        if (count >= 1000 && (n + 1) % (count / 10) === 0)
          parts.push((performance.now() - started) / 1000)
      }
    }
    await Promise.all(Array.from({ length: inFlight }, take))
    const seconds = (performance.now() - started) / 1000
    const cpu = {
      node: (await server.request<ServerState>({})).cpu - before.node,
      pg: cpuTimeOf(postmaster) - before.pg,
    }
    const { p50, p99 } = latenciesOf(times)
    const tenths = parts.map((end, index) => (end - (parts[index - 1] ?? 0)).toFixed(1))
    const growth = tenths.length > 0 ? `tenths ${tenths.join(' ')} s; ` : ''
    process.stdout.write(
      `${label}: ${seconds.toFixed(1)} s, ${(count / seconds).toFixed(0)}/s; ${times.length} requests, ${busy} of them 503, ` +
        `p50 ${p50.toFixed(1)} ms, p99 ${p99.toFixed(1)} ms; CPU ${(cpu.node / 1e6).toFixed(1)} s of the server, ` +
        `${(cpu.pg / 1e6).toFixed(1)} s of PostgreSQL; ${growth}` +
        `load ${loadavg()[0]?.toFixed(0)}\n`,
    )
  }

  const addressOf = (n: number) => `person-${n}@bench.example`
  const find = (type: string, attribute: string, value: string, more = '') =>
    send('GET', `/${type}?filter=${encodeURIComponent(`${attribute} eq "${value}"`)}${more}`)
  const findGroup = (n: number) =>
    find('Groups', 'displayName', `Group ${n}`, '&excludedAttributes=members')
  const patch = (path: string, ...Operations: object[]) =>
    send('PATCH', path, {
      schemas: ['urn:ietf:params:scim:api:messages:2.0:PatchOp'],
      Operations,
    })
  const ids: string[] = []
  const only = ({ Resources = [] }: Answer) => Resources[0]?.id

  await measure(`${users} users`, users, async (n) => {
    const userName = addressOf(n)
    const { totalResults } = await find('Users', 'userName', userName)
    if (totalResults !== 0) throw new Error(`${userName} exists`)
    const created = await send('POST', '/Users', {
      schemas: [userSchema, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
      externalId: `external-${n}`,
      userName,
      active: true,
      displayName: `Person ${n}`,
      emails: [{ primary: true, type: 'work', value: userName }],
      meta: { resourceType: 'User' },
      name: { formatted: `Person ${n}`, familyName: `${n}`, givenName: 'Person' },
      title: 'Clerk',
    })
    ids[n] = created.id ?? ''
  })
  const memberships = (users * 2) / membersAPatch
  const groups: (string | undefined)[] = []
  await measure(`${groupCount} groups`, groupCount, async (n) => {
    await findGroup(n)
    const group = { schemas: [groupSchema], externalId: `g-${n}`, displayName: `Group ${n}` }
    groups[n] = (await send('POST', '/Groups', group)).id
  })
  await measure(`${users * 2} memberships, ${membersAPatch} a request`, memberships, async (n) => {
    // The first half of the requests fills a group of everybody, as large companies have.
    const start = (n * membersAPatch) % users
    const group = n < memberships / 2 ? groups[0] : groups[1 + (n % (groupCount - 1))]
    const value = ids.slice(start, start + membersAPatch).map((id) => ({ value: id }))
    await patch(`/Groups/${group}`, { op: 'Add', path: 'members', value })
  })
  await measure(
    `second cycle: ${users} users, of whom one in a hundred has changed`,
    users,
    async (n) => {
      const id = only(await find('Users', 'userName', addressOf(n)))
      if (id !== ids[n]) throw new Error(`${addressOf(n)} has another ID`)
      const path = `/Users/${id}`
      if (n % 200 === 0) await patch(path, { op: 'Replace', path: 'title', value: 'Lead' })
      if (n % 200 === 100) await patch(path, { op: 'Replace', path: 'active', value: 'False' })
    },
  )
  await measure(`second cycle: ${groupCount} groups`, groupCount, async (n) => {
    const [added, removed] = [ids[n % users], ids[(n + 1) % users]]
    const path = `/Groups/${only(await findGroup(n))}`
    await patch(path, { op: 'Add', path: 'members', value: [{ value: added }] })
    await patch(path, { op: 'Remove', path: 'members', value: [{ value: removed }] })
  })
  const displayName = 'Everybody'
  const members = ids.map((value) => ({ value }))
  const { id: everybody } = await send('POST', '/Groups', { displayName })
  const replace = (count: number) =>
    measure(`a group gets ${count} members by PUT`, 1, () =>
      send('PUT', `/Groups/${everybody}`, { displayName, members: members.slice(0, count) }),
    )
  // The body of a request may have 256 KiB.
  for (const count of [Math.min(users, 5000), 100, 0]) await replace(count)
  await measure(`all users, 100 a page`, users / 100, (n) =>
    send('GET', `/Users?count=100&startIndex=${n * 100 + 1}`),
  )
} finally {
  agent.destroy()
  await stopBenchProcesses()
  await embedded.stop()
  await rm(folder, { recursive: true, force: true })
}

async function seedWorkspace() {
  const pool = new pg.Pool({ connectionString: embedded.url, max: 1 })
  const seed = createSeed(pool)
  const workspace = await seed.workspace()
  await seed.newMember(workspace, 'owner')
  await seedConnection({ pool }, workspace, 'bench.example')
  const token = await seedScimToken({ pool }, workspace)
  await pool.end()
  return { workspace, token }
}
