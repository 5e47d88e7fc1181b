import { type ChildProcess, fork, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createKeyFiles } from '../src/identity/keys.ts'
import { cloneDatabase } from '../test/support/database.ts'
import { startDatabaseProxy } from '../test/support/proxy.ts'
import { startReplicatedCluster } from '../test/support/replication.ts'
import { createSeed } from '../test/support/seed.ts'
import { startServer } from '../test/support/server-process.ts'
import { type ClientsJob, type ClientsMessage, finish } from './linearizability/clients-messages.ts'
import {
  type Cluster,
  delayReplay,
  injectFaults,
  type ProxiedServer,
} from './linearizability/faults.ts'
import { createLaneData } from './linearizability/lane-data.ts'

/**
 * `npm run linearizability`: clients change and read access through three nodes with a primary and two standbys,
 * while faults are injected into the servers and the network to them. Then porcupine verifies that the history is
 * linearizable.
 *
 * --operations N, --seconds N: when to end, after at least one round of faults
 * --fault-milliseconds N: duration of each fault, and the time between two
 * --lanes N: histories that run at once
 * --without-faults
 * --skip-wait: reads do not wait for the standbys, which replay each commit --replay-delay milliseconds later. The
 *   run succeeds only if porcupine finds stale reads
 */
const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '86400' },
    'skip-wait': { type: 'boolean', default: false },
    'fault-milliseconds': { type: 'string', default: '1000' },
    'replay-delay': { type: 'string', default: '20' },
    lanes: { type: 'string', default: '12' },
    'without-faults': { type: 'boolean', default: false },
  },
})
const operations = Number(values.operations)
const isBroken = values['skip-wait']
const nodeCount = 3
const noFaults = isBroken || values['without-faults']

/** More than the operations take, since a fault can end a lane after a few calls. */
const maxLanes = Math.ceil(operations / 20) + 2000

const folder = mkdtempSync(join(tmpdir(), 'daikon-linearizability-'))
const historyPath = join(folder, 'history.jsonl')
const endings: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
try {
  process.exitCode = await main()
} finally {
  for (const end of endings.reverse()) await end()
}

async function main(): Promise<number> {
  const checker = join(folder, 'checker')
  build(checker)
  const { primary, standbys, close } = await startReplicatedCluster(2, { isSynchronous: true })
  endings.push(close)
  process.env.TEST_DATABASE_URL = primary.url
  const database = await cloneDatabase()
  const { pathname } = new URL(database.url)
  const servers = await Promise.all(
    [primary, ...standbys].map(async (server): Promise<ProxiedServer> => {
      const url = Object.assign(new URL(server.url), { pathname })
      const proxy = await startDatabaseProxy(url.href)
      endings.push(proxy.close)
      return { server, proxy }
    }),
  )
  const cluster: Cluster = { primary: servers[0] as ProxiedServer, standbys: servers.slice(1) }

  await createLaneData(database.pool, maxLanes)
  const seed = createSeed(database.pool)
  const adminIds = await Promise.all(
    Array.from({ length: 50 }, () => seed.user('admin', { is_admin: true })),
  )
  const { key } = await seed.serviceApp('documents')
  await database.pool.end()
  createKeyFiles({
    privatePath: join(folder, 'private.pem'),
    publicPath: join(folder, 'public.pem'),
  })
  const nodes = await Promise.all(Array.from({ length: nodeCount }, () => startNode(servers)))
  if (isBroken)
    for (const { server } of cluster.standbys) await delayReplay(server, values['replay-delay'])

  const startedAt = performance.now()
  const clients = fork(join(import.meta.dirname, 'linearizability/clients.ts'))
  endings.push(() => clients.kill())
  clients.send({
    ports: nodes.map(({ grpcPort }) => grpcPort),
    folder,
    historyPath,
    maxLanes,
    parallelLanes: Number(values.lanes),
    service: { name: 'documents', key },
    adminIds,
  } satisfies ClientsJob)
  const completed = waitForOperations(clients)
  let isCompleted = false
  const faults = noFaults
    ? Promise.resolve(new Map<string, number>())
    : injectFaults(cluster, Number(values['fault-milliseconds']), () => isCompleted)
  await completed
  isCompleted = true
  const injected = await faults
  const finished = waitForResult(clients)
  clients.send(finish)
  const result = await finished
  const seconds = (performance.now() - startedAt) / 1000
  const rate = Math.round(result.operations / seconds)
  print(`${result.operations} operations in ${seconds.toFixed(0)} s: ${rate}/s`)
  print(`faults: ${describe(injected)}`)
  print(`calls that failed: ${describe(new Map(result.failures))}`)
  print(`statements read: ${describe(await countReads(nodes.map((node) => node.metricsPort)))}`)
  const { status } = spawnSync('sh', ['-c', '"$1" < "$2"', 'sh', checker, historyPath], {
    stdio: 'inherit',
  })
  if (!isBroken) return status ?? 1
  print(status === 1 ? 'The stale reads were found' : 'No stale read was found')
  return status === 1 ? 0 : 1
}

function build(checker: string): void {
  const cwd = join(import.meta.dirname, 'linearizability/checker')
  const { status, error } = spawnSync('go', ['build', '-o', checker, '.'], {
    cwd,
    stdio: 'inherit',
  })
  if (error || status !== 0) throw new Error('go build failed', { cause: error })
}

/** Starts a node. Each server can be the primary or a replica: a failover changes their roles. */
function startNode(servers: ProxiedServer[]) {
  const urls = servers.map(({ proxy }) => proxy.url)
  const hosts = urls.map((url) => new URL(url).host)
  const [first = ''] = urls
  const skipWait = join(import.meta.dirname, 'linearizability/skip-wait.ts')
  const teardown = (end: () => unknown) => void endings.push(end)
  return startServer({ teardown }, folder, {
    DATABASE_URL: `${first.replace(hosts[0] as string, hosts.join())}?target_session_attrs=read-write`,
    REPLICA_URLS: urls.join(),
    RATE_LIMIT_ENABLED: 'false',
    ...(isBroken && { NODE_OPTIONS: `--import=${skipWait}` }),
  })
}

function waitForOperations(clients: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    setTimeout(resolve, Number(values.seconds) * 1000).unref()
    clients.on('message', (message: ClientsMessage) => {
      if (message.operations >= operations || message.failures) resolve()
    })
    clients.once('exit', (code) => reject(new Error(`The clients exited with ${code}`)))
  })
}

async function waitForResult(clients: ChildProcess): Promise<Required<ClientsMessage>> {
  for (;;) {
    const [message] = (await once(clients, 'message')) as [ClientsMessage]
    if (message.failures) return { ...message, failures: message.failures }
  }
}

/** Sums who served the statements of all nodes, from their metrics. */
async function countReads(ports: number[]): Promise<Map<string, number>> {
  const counts = new Map<string, number>()
  for (const port of ports) {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
    const pattern =
      /^daikon_replica_(?:reads|fallbacks)_total\{(replica|reason)="([^"]+)"\} (\d+)/gm
    for (const [, label, value, count] of text.matchAll(pattern)) {
      const name = label === 'replica' ? `by ${value}` : `by the primary (${value})`
      counts.set(name, (counts.get(name) ?? 0) + Number(count))
    }
  }
  return counts
}

function describe(counts: Map<string, number>): string {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ') || 'none'
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
