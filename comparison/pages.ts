import pg from 'pg'
import { cpuTimeOf, findPostmaster } from '../bench/cpu-time.ts'
import { interleave } from '../bench/rounds.ts'
import type { Tokens } from './data.ts'
import { type Cell, type ComparisonRow, isChosen, takeMedians } from './measure.ts'
import type { ListingPeer, Peer, Viewers } from './peer.ts'
import { joinIds, joinWithCopy, maxCount, openCopy, pageSize, type Service } from './service.ts'

type Options = {
  /** The database with the data set. */
  url: string
  /** The database of the service, which is filled again in each run. */
  serviceUrl: string
  /** The first one is followed. */
  daikons: Peer[]
  peers: ListingPeer[]
  viewers: Viewers[]
  tokens: Tokens
  rounds: number
}

/** What the service is asked for. Viewers who may view fewer documents than `least` do not ask. */
type Call = {
  name: string
  least: number
  run(service: Service, user: string): Promise<string[] | number>
  /** The response, if these are all documents by title. */
  expect(documents: string[]): string[] | number
}

const pageCall = (number: number): Call => ({
  name: `page ${number}`,
  least: (number - 1) * pageSize,
  run: (service, user) => service.findPage(user, number),
  expect: (documents) => documents.slice((number - 1) * pageSize, number * pageSize),
})

const calls: Call[] = [
  pageCall(1),
  pageCall(7),
  {
    name: 'count',
    least: maxCount,
    run: (service, user) => service.count(user),
    expect: (documents) => Math.min(documents.length, maxCount),
  },
]

/** The duration of one measurement. A service has one call in flight. */
const seconds = 1

/** The number of calls of a measurement, however long they take. */
const leastCalls = 3

/**
 * Measures pages of documents by title of a service with its own database. Throws if the documents are not the
 * same with each peer.
 */
export async function measurePages(
  { url, serviceUrl, daikons, peers, viewers, tokens, rounds }: Options,
  words: string[],
  log: (message: string) => void,
): Promise<ComparisonRow[]> {
  const rows = calls.flatMap((call) =>
    viewers
      .filter(({ documents }) => documents >= call.least)
      .map((group) => ({ label: `${call.name} of ${group.label} documents`, call, group }))
      .filter(({ label }) => isChosen(label, words)),
  )
  if (rows.length === 0) return []
  const postmaster = await findPostmaster(url)
  const pool = new pg.Pool({ connectionString: serviceUrl })
  const copy = await openCopy({
    ...{ url, pool, log },
    ports: daikons.map(({ port }) => port),
  })
  try {
    const services = [
      ...daikons.map(({ name, pid }, index) => {
        const access = copy.accesses[index]
        if (!access) throw new Error(`No copy of ${name}`)
        return { name, pid, service: joinWithCopy(access, tokens) }
      }),
      ...peers.map((peer) => ({
        ...{ name: peer.name, pid: peer.pid },
        service: joinIds(pool, peer.listDocuments),
      })),
    ]
    const documentsOf = new Map<string, string[]>()
    for (const { label, documents, users } of viewers)
      for (const user of users) {
        const found = await compareServices(services, user)
        // About 400 varies by viewer.
        if (Math.abs(found.length - documents) > documents / 20)
          throw new Error(`A viewer of ${label} documents may view ${found.length}`)
        documentsOf.set(user, found)
      }
    log(`Pages of ${documentsOf.size} viewers are the same in ${services.length} configurations`)

    const measured: ComparisonRow[] = []
    for (const { label, call, group } of rows) {
      const tasks = services.map(({ name, pid, service }) => {
        const ask = async (user: string) => {
          requireEqual(
            `${name}, ${label}`,
            await call.run(service, user),
            call.expect(documentsOf.get(user) ?? []),
          )
        }
        return [name, () => measure(ask, group.users, { pid, postmaster })] as const
      })
      const results = await interleave(rounds, Object.fromEntries(tasks))
      measured.push(takeMedians(label, results, log))
    }
    return measured
  } finally {
    await copy.close()
    await pool.end()
  }
}

/** Returns the documents of a user by title. Throws unless all calls of all services agree. */
async function compareServices(
  services: { name: string; service: Service }[],
  user: string,
): Promise<string[]> {
  const [first] = services
  const documents = (await first?.service.findAll(user)) ?? []
  for (const { name, service } of services) {
    requireEqual(`${name}, all of ${user}`, await service.findAll(user), documents)
    for (const { name: callName, least, run, expect } of calls)
      if (documents.length >= least)
        requireEqual(`${name}, ${callName} of ${user}`, await run(service, user), expect(documents))
  }
  return documents
}

function requireEqual(where: string, found: string[] | number, expected: string[] | number): void {
  if (String(found) !== String(expected))
    throw new Error(`${where}: the documents differ: ${describeDifference(found, expected)}`)
}

function describeDifference(found: string[] | number, expected: string[] | number): string {
  if (typeof found === 'number' || typeof expected === 'number') return `${found}, not ${expected}`
  const [more] = found.filter((id) => !expected.includes(id))
  const [missing] = expected.filter((id) => !found.includes(id))
  return `${found.length}, not ${expected.length}; with ${more}, without ${missing}`
}

async function measure(
  ask: (user: string) => Promise<void>,
  users: string[],
  { pid, postmaster }: { pid: number; postmaster: number },
): Promise<Cell> {
  // Warms up.
  await ask(users.at(-1) ?? '')
  const times: number[] = []
  const readCpu = () => {
    const { user, system } = process.cpuUsage()
    return { server: cpuTimeOf(pid), postgres: cpuTimeOf(postmaster), service: user + system }
  }
  const before = readCpu()
  const startedAt = performance.now()
  let endedAt = startedAt
  while (endedAt - startedAt < seconds * 1000 || times.length < leastCalls) {
    await ask(users[times.length % users.length] ?? '')
    const now = performance.now()
    times.push(now - endedAt)
    endedAt = now
  }
  const after = readCpu()
  times.sort((a, b) => a - b)
  const quantile = (part: number) => times[Math.floor((times.length - 1) * part)] ?? 0
  return {
    rate: (1000 * times.length) / (endedAt - startedAt),
    p50: quantile(0.5),
    p99: quantile(0.99),
    serverCpu: (after.server - before.server) / times.length,
    postgresCpu: (after.postgres - before.postgres) / times.length,
    serviceCpu: (after.service - before.service) / times.length,
    generatorCpu: 0,
  }
}
