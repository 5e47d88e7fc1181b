import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { type BenchClient, createBenchClient } from '../bench/grpc-client.ts'
import { findFreePort } from '../src/core/free-port.ts'
import {
  createOpenFga,
  createOpenFgaStore,
  type OpenFgaStore,
  writeOpenFgaTuples,
} from './openfga.ts'
import type { ListingPeer } from './peer.ts'
import { createSpiceDb, presharedKey, writeSpiceDbSchema, writeSpiceDbTuples } from './spicedb.ts'
import { type Tuple, writeInBatches } from './tuples.ts'

/** Servers of other projects that have been started. */
export type PeerServers = { peers: ListingPeer[]; stop(): void }

type Options = {
  /** The path of the peer's program. */
  program: string
  /** The URL of an empty database, or of one that this function filled in an earlier run. */
  url: string
  /** Identifies the relationships. */
  recipe: string
  readTuples: () => Promise<Tuple[]>
  log: (message: string) => void
}

const startTimeout = 60_000

/** Starts SpiceDB and fills its database, unless it already contains the relationships. */
export async function startSpiceDb(options: Options): Promise<PeerServers> {
  const { program, url, recipe, readTuples, log } = options
  const datastore = ['--datastore-engine=postgres', `--datastore-conn-uri=${url}`]
  run(program, ['datastore', 'migrate', 'head', '--log-level=fatal', ...datastore])
  const port = await findFreePort()
  const child = start(program, [
    'serve',
    ...datastore,
    `--grpc-preshared-key=${presharedKey}`,
    `--grpc-addr=127.0.0.1:${port}`,
    '--http-enabled=false',
    '--metrics-enabled=false',
    '--dispatch-cluster-enabled=false',
    '--telemetry-endpoint=',
    '--skip-release-check',
    '--log-level=error',
    '--write-relationships-max-updates-per-call=1000',
  ])
  const client = createBenchClient(port)
  const stop = () => stopServer(child, client)
  try {
    await waitUntilReady(child, port)
    await fillOnce({ url, recipe, log, name: 'SpiceDB' }, async () => {
      await writeSpiceDbSchema(client)
      const tuples = await readTuples()
      await writeInBatches(tuples, { size: 1000, concurrency: 4 }, (batch) =>
        writeSpiceDbTuples(client, batch),
      )
      return ''
    })
    const peer = { port, pid: child.pid ?? 0, client }
    const peers = [
      createSpiceDb({ ...peer, consistency: 'fully consistent' }),
      createSpiceDb({ ...peer, consistency: 'minimize_latency' }),
    ]
    return { peers, stop }
  } catch (error) {
    stop()
    throw error
  }
}

/**
 * Enables the caches of OpenFGA, which are off by default. Their entries are up to ten seconds old.
 */
const caches = {
  OPENFGA_CHECK_QUERY_CACHE_ENABLED: 'true',
  OPENFGA_CHECK_ITERATOR_CACHE_ENABLED: 'true',
  OPENFGA_LIST_OBJECTS_ITERATOR_CACHE_ENABLED: 'true',
}

/**
 * Starts OpenFGA with and without caches, and fills its database, unless it already contains the
 * relationships.
 */
export async function startOpenFga(options: Options): Promise<PeerServers> {
  const { program, url, recipe, readTuples, log } = options
  const datastore = { OPENFGA_DATASTORE_ENGINE: 'postgres', OPENFGA_DATASTORE_URI: url }
  run(program, ['migrate'], datastore)
  const servers: { child: ChildProcess; client: BenchClient }[] = []
  const stop = () => {
    for (const { child, client } of servers) stopServer(child, client)
  }
  const startOne = async (own: Record<string, string>) => {
    const [port, httpPort] = [await findFreePort(), await findFreePort()]
    const child = start(program, ['run'], {
      ...datastore,
      OPENFGA_GRPC_ADDR: `127.0.0.1:${port}`,
      OPENFGA_HTTP_ADDR: `127.0.0.1:${httpPort}`,
      OPENFGA_PLAYGROUND_ENABLED: 'false',
      OPENFGA_METRICS_ENABLED: 'false',
      OPENFGA_LOG_LEVEL: 'error',
      OPENFGA_LIST_OBJECTS_MAX_RESULTS: '100000',
      OPENFGA_LIST_OBJECTS_DEADLINE: '30s',
      OPENFGA_REQUEST_TIMEOUT: '31s',
      ...own,
    })
    const client = createBenchClient(port)
    servers.push({ child, client })
    await waitUntilReady(child, port)
    return { port, httpPort, pid: child.pid ?? 0, client }
  }
  try {
    const current = await startOne({})
    const stored = await fillOnce({ url, recipe, log, name: 'OpenFGA' }, async () => {
      const { client, httpPort } = current
      const store = await createOpenFgaStore(httpPort, client)
      const tuples = await readTuples()
      await writeInBatches(tuples, { size: 100, concurrency: 8 }, (batch) =>
        writeOpenFgaTuples(client, store, batch),
      )
      return JSON.stringify(store)
    })
    const store: OpenFgaStore = JSON.parse(stored)
    const cached = await startOne(caches)
    const peers = [
      createOpenFga({ ...current, name: 'OpenFGA current', measuresShares: true, store }),
      createOpenFga({ ...cached, name: 'OpenFGA with caches', measuresShares: false, store }),
    ]
    return { peers, stop }
  } catch (error) {
    stop()
    throw error
  }
}

function start(program: string, args: string[], env: Record<string, string> = {}): ChildProcess {
  return spawn(program, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
}

function run(program: string, args: string[], env: Record<string, string> = {}): void {
  const { status, error } = spawnSync(program, args, {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  if (error || status !== 0)
    throw new Error(`${program} ${args[0]} failed: ${error?.message ?? status}`)
}

async function waitUntilReady(child: ChildProcess, port: number): Promise<void> {
  const deadline = performance.now() + startTimeout
  const client = createBenchClient(port)
  try {
    for (;;) {
      if (child.exitCode !== null) throw new Error(`${child.spawnfile} exited: ${child.exitCode}`)
      try {
        await client.call('/grpc.health.v1.Health/Check', presharedKey, new Uint8Array())
        return
      } catch (error) {
        if (performance.now() > deadline) throw error
        await sleep(200)
      }
    }
  } finally {
    client.close()
  }
}

function stopServer(child: ChildProcess, client: BenchClient): void {
  client.close()
  child.kill()
}

/**
 * Calls `fill`, unless an earlier run completed it with the same recipe. Returns the text that
 * `fill` returned.
 */
async function fillOnce(
  { url, recipe, name, log }: Pick<Options, 'url' | 'recipe' | 'log'> & { name: string },
  fill: () => Promise<string>,
): Promise<string> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('create table if not exists bench_filled (recipe text, result text)')
    const { rows } = await client.query('select recipe, result from bench_filled')
    if (rows[0]?.recipe === recipe) return rows[0].result
    if (rows.length > 0)
      throw new Error(`The database of ${name} has other relationships: delete the bench folder`)
    log(`Writing the relationships to ${name} …`)
    const startedAt = performance.now()
    const result = await fill()
    await client.query('vacuum (analyze)')
    await client.query('checkpoint').catch(() => {})
    await client.query('insert into bench_filled values ($1, $2)', [recipe, result])
    log(`Written in ${((performance.now() - startedAt) / 1000).toFixed(0)} s`)
    return result
  } finally {
    await client.end()
  }
}
