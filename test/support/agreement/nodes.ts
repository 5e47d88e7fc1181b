import pg from 'pg'
import type { ReplicaSettings } from '../../../src/database/database.ts'
import { createSeed } from '../seed.ts'
import {
  type NodeOptions,
  startTestEnvironment,
  type TestEnvironment,
} from '../test-environment.ts'
import { createRandom } from './random.ts'
import { createCounts, createRunner, type RunOptions, summarize } from './runner.ts'
import { type AskedNode, createScene, nameNode } from './scene.ts'

/** The memories of the nodes. The tiny one forgets most of what it loads. */
const memories: Record<string, NodeOptions> = {
  large: { MAX_FACTS_CACHE_BYTES: 20_000_000 },
  tiny: { MAX_FACTS_CACHE_BYTES: 30_000 },
  none: { MAX_FACTS_CACHE_BYTES: 0 },
}

/** The seed of random choices: `AGREEMENT_SEED`, or another one in each run. */
export const agreementSeed = Number(process.env.AGREEMENT_SEED ?? Date.now() % 1_000_000)

/**
 * Starts nodes with each memory on one database, and with replicas two nodes more that read from
 * them, and a world that they share. `hosts` are the servers that can be the primary.
 */
export async function startAgreement(
  options: Partial<RunOptions> = {},
  hosts?: string[],
  replicas?: ReplicaSettings,
) {
  const environment = await startTestEnvironment(
    memories.large,
    hosts &&
      ((url) => {
        const { host } = new URL(url)
        return `${url.replace(host, hosts.join())}?target_session_attrs=read-write`
      }),
  )
  const nodes = [nameNode('large memory', environment)]
  for (const name of ['tiny', 'none'])
    nodes.push(nameNode(`${name} memory`, await environment.addNode(memories[name])))
  if (replicas)
    for (const name of ['large', 'none'])
      nodes.push(
        nameNode(`${name} memory, standbys`, await environment.addNode(memories[name], replicas)),
      )
  const scene = await createScene(environment, nodes, createRandom(agreementSeed))
  const counts = createCounts()
  const runner = createRunner(scene, { counts, share: 0.12, patience: 0, ...options })
  return {
    environment,
    scene,
    counts,
    ...runner,
    /** Reads rows and makes changes in SQL on another server from now on. */
    follow(serverUrl: string) {
      const { pathname } = new URL(environment.databaseUrl)
      const url = Object.assign(new URL(serverUrl), { pathname })
      scene.pool = createPool(url.href)
      scene.seed = createSeed(scene.pool)
    },
    summarize: () => `seed ${agreementSeed}: ${summarize(counts)}`,
    stop: () => stop(environment, nodes),
  }
}

export type Agreement = Awaited<ReturnType<typeof startAgreement>>

function createPool(connectionString: string): pg.Pool {
  const pool = new pg.Pool({ connectionString, max: 5 })
  // Connections are lost when servers fail.
  pool.on('error', () => {})
  return pool
}

async function stop(environment: TestEnvironment, nodes: AskedNode[]): Promise<void> {
  for (const { client } of nodes) client.close()
  await environment.stop()
}
