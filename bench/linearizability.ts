import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createKeyFiles, readKeys } from '../src/identity/keys.ts'
import { createTokens, type Tokens } from '../src/identity/tokens.ts'
import { runWithFaults } from '../test/support/agreement/run-with-faults.ts'
import { cloneDatabase } from '../test/support/database.ts'
import { startDatabaseProxy } from '../test/support/proxy.ts'
import { startReplicatedCluster } from '../test/support/replication.ts'
import { createSeed } from '../test/support/seed.ts'
import {
  type Cluster,
  delayReplay,
  type FaultCount,
  injectFaults,
  type ProxiedServer,
} from './linearizability/faults.ts'
import { createLanes } from './linearizability/lanes.ts'
import { startNode } from './linearizability/nodes.ts'
import { buildRecorder, type Recorder, startRecorder } from './linearizability/recorder.ts'

/**
 * `npm run linearizability`: clients change and read access through three nodes with a primary and
 * two standbys, while faults are injected into the servers and their network. porcupine verifies
 * that each history is linearizable while the next ones are recorded.
 *
 * --operations N, --seconds N: when to stop, after at least one round of faults
 * --fault-milliseconds N: the duration of each fault, and the pause between faults
 * --lanes N: the number of histories that are recorded concurrently
 * --without-faults: injects no faults
 * --skip-wait: reads do not wait for the standbys, which replay each commit --replay-delay
 *   milliseconds later. The run succeeds only if porcupine finds stale reads
 * --without-replicas: the nodes read from the primary
 * --skip-changes: cached facts are never invalidated. The run succeeds only if
 *   porcupine finds stale reads
 * --agreement: instead of recording histories, makes every kind of change and fault for --seconds,
 *   with and without standbys, and compares all decisions of nodes with and without facts in memory
 *   with the rows (`test/support/agreement`)
 */
const { values } = parseArgs({
  options: {
    operations: { type: 'string', default: '1000000' },
    seconds: { type: 'string', default: '86400' },
    'skip-wait': { type: 'boolean', default: false },
    'without-replicas': { type: 'boolean', default: false },
    'skip-changes': { type: 'boolean', default: false },
    'fault-milliseconds': { type: 'string', default: '1000' },
    'replay-delay': { type: 'string', default: '20' },
    lanes: { type: 'string', default: '24' },
    'without-faults': { type: 'boolean', default: false },
    agreement: { type: 'boolean', default: false },
  },
})
const operations = Number(values.operations)
const parallelLanes = Number(values.lanes)
const skipsWait = values['skip-wait']
const skipsChanges = values['skip-changes']
const hasReplicas = !values['without-replicas']
const isBroken = skipsWait || skipsChanges
const brokenBy = (skipsWait && 'skip-wait.ts') || (skipsChanges && 'skip-changes.ts') || undefined
const nodeCount = 3
const noFaults = isBroken || values['without-faults']

const folder = mkdtempSync(join(tmpdir(), 'daikon-linearizability-'))
const cleanups: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
const run = values.agreement ? runAgreement() : main()
// Before the cleanup, which may take long or hang after a failure.
process.exitCode = await run.catch((error) => {
  console.error(error)
  return 1
})
for (const cleanup of cleanups.reverse()) await Promise.race([cleanup(), sleep(60_000)])
process.exit()

async function runAgreement(): Promise<number> {
  process.env.PGAPPNAME ??= 'pg_agreement'
  const milliseconds = (Number(values.seconds) * 1000) / 2
  for (const hasStandbys of [false, true])
    await runWithFaults({ milliseconds, hasStandbys, log: console.info })
  return 0
}

async function main(): Promise<number> {
  const program = buildRecorder(folder)
  const { primary, standbys, close } = await startReplicatedCluster(2, { isSynchronous: true })
  cleanups.push(close)
  process.env.TEST_DATABASE_URL = primary.url
  const database = await cloneDatabase()
  const { pathname } = new URL(database.url)
  const servers = await Promise.all(
    [primary, ...standbys].map(async (server): Promise<ProxiedServer> => {
      const url = Object.assign(new URL(server.url), { pathname })
      const proxy = await startDatabaseProxy(url.href)
      cleanups.push(proxy.close)
      return { server, proxy }
    }),
  )
  const cluster: Cluster = { primary: servers[0] as ProxiedServer, standbys: servers.slice(1) }

  const seed = createSeed(database.pool)
  const adminIds = await Promise.all(
    Array.from({ length: 50 }, () => seed.user('admin', { is_admin: true })),
  )
  const { key } = await seed.serviceApp('documents')
  await seed.serviceAction('documents', 'publish')
  await database.pool.end()
  const keyPaths = {
    privatePath: join(folder, 'private.pem'),
    publicPath: join(folder, 'public.pem'),
  }
  createKeyFiles(keyPaths)
  const keys = await readKeys(keyPaths)
  const tokens = createTokens({
    currentKeys: () => keys,
    issuer: 'http://localhost:8000',
    now: () => new Date(),
  })
  const onSpawn = (kill: () => unknown) => cleanups.push(kill)
  const nodes = await Promise.all(
    Array.from({ length: nodeCount }, () =>
      startNode({ folder, servers, hasReplicas, brokenBy, onSpawn }),
    ),
  )
  if (skipsWait)
    for (const { server } of cluster.standbys) await delayReplay(server, values['replay-delay'])

  const recorder = startRecorder(program, {
    ports: nodes.map(({ grpcPort }) => grpcPort),
    lanes: parallelLanes,
    service: { name: 'documents', key },
    adminTokens: await Promise.all(adminIds.map((id) => signAdminToken(tokens, id))),
  })
  cleanups.push(recorder.kill)
  const startedAt = performance.now()
  let isCompleted = false
  cleanups.push(() => {
    isCompleted = true
  })
  const lanes = supplyLanes(recorder, cluster, pathname, tokens, () => isCompleted)
  const faults = noFaults
    ? Promise.resolve(new Map<string, FaultCount>())
    : injectFaults(cluster, {
        milliseconds: Number(values['fault-milliseconds']),
        countOperations: () => recorder.progress.operations,
        isStopped: () => isCompleted,
      })
  const ended = Promise.all([faults, lanes])
  while (
    recorder.progress.operations < operations &&
    performance.now() - startedAt < Number(values.seconds) * 1000
  )
    await Promise.race([sleep(100), ended, recorder.failed])
  isCompleted = true
  const [injected] = await Promise.race([ended, recorder.failed])
  const memory = describe(
    new Map([
      ['MiB by the recorder', peakMemory(recorder.pid)],
      ['MiB by this process', peakMemory(process.pid)],
      ['MiB by each node', Math.max(...nodes.map(({ pid }) => peakMemory(pid)))],
    ]),
  )
  const result = await recorder.stop()
  const seconds = (performance.now() - startedAt) / 1000
  const rate = Math.round(result.operations / seconds)
  print(`${result.operations} operations in ${seconds.toFixed(0)} s: ${rate}/s`)
  for (const [name, count] of injected)
    print(`${name}: ${count.times} times, ${Math.round(count.operations / count.seconds)}/s`)
  print(`memory at most: ${memory}`)
  print(`calls that failed: ${describe(new Map(Object.entries(result.failures)))}`)
  const metrics = await readMetrics(nodes.map((node) => node.metricsPort))
  print(`statements read: ${describe(countReads(metrics))}`)
  print(`checks and lists: ${describe(countCachedQueries(metrics))}`)
  print(
    `${result.operations} operations in ${result.histories} histories, ` +
      `${result.rejected} not linearizable`,
  )
  if (!isBroken) return result.rejected === 0 && result.operations > 0 ? 0 : 1
  print(result.rejected > 0 ? 'The stale reads were found' : 'No stale read was found')
  return result.rejected > 0 ? 0 : 1
}

/**
 * Creates lanes in the database of the current primary, ahead of the recorder, until `isCompleted`.
 */
async function supplyLanes(
  recorder: Recorder,
  cluster: Cluster,
  pathname: string,
  tokens: Tokens,
  isCompleted: () => boolean,
): Promise<void> {
  let created = 0
  while (!isCompleted()) {
    if (created - recorder.progress.lanes < parallelLanes) {
      const url = Object.assign(new URL(cluster.primary.server.url), { pathname })
      // Fails while the primary is not running.
      const lanes = await createLanes(url.href, tokens, created, parallelLanes).catch(() => [])
      recorder.addLanes(lanes)
      created += lanes.length
    }
    await sleep(100)
  }
}

function signAdminToken({ sign }: Tokens, id: string): Promise<string> {
  const profile = { sub: id, jti: id, email: 'admin@example.com', name: 'admin' }
  return sign('admin_access', { ...profile, admin: true }, 86_400)
}

/** Returns the peak resident memory of a process in MiB. Requires Linux. */
function peakMemory(pid: number): number {
  const [, kibibytes] = readFileSync(`/proc/${pid}/status`, 'utf8').match(/VmHWM:\s+(\d+)/) ?? []
  return Math.round(Number(kibibytes) / 1024)
}

async function readMetrics(ports: number[]): Promise<string> {
  const read = async (port: number) => (await fetch(`http://127.0.0.1:${port}/metrics`)).text()
  return (await Promise.all(ports.map(read))).join('\n')
}

/** Sums the statements of all nodes by the server that ran them. */
function countReads(metrics: string): Map<string, number> {
  const pattern = /^daikon_replica_(?:reads|fallbacks)_total\{(replica|reason)="([^"]+)"\} (\d+)/gm
  return sum(metrics, pattern, (label, value) =>
    label === 'replica' ? `by ${value}` : `by the primary (${value})`,
  )
}

/** Sums the cache lookups of all nodes by result. */
function countCachedQueries(metrics: string): Map<string, number> {
  const names: Record<string, string> = {
    hit: 'from memory',
    miss: 'not in memory',
    changed: 'changed since',
  }
  const pattern = /^daikon_facts_cache_queries_total\{(result)="([^"]+)"\} (\d+)/gm
  return sum(metrics, pattern, (_, result) => names[result] ?? result)
}

/** Sums the counts that a pattern matches, by label value. */
function sum(
  metrics: string,
  pattern: RegExp,
  nameOf: (label: string, value: string) => string,
): Map<string, number> {
  const counts = new Map<string, number>()
  for (const [, label = '', value = '', count] of metrics.matchAll(pattern)) {
    const name = nameOf(label, value)
    counts.set(name, (counts.get(name) ?? 0) + Number(count))
  }
  return counts
}

function describe(counts: Map<string, number>): string {
  return [...counts].map(([name, count]) => `${count} ${name}`).join(', ') || 'none'
}

function print(line: string): void {
  process.stdout.write(`${line}\n`)
}
