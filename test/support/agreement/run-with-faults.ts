import { type ClusterServer, startReplicatedCluster } from '../replication.ts'
import { failOver, faults, type Servers } from './faults.ts'
import { agreementSeed, startAgreement } from './nodes.ts'

/** Milliseconds for which calls may fail after a fault. Generous, because tests also run on busy machines. */
const patience = 120_000

export type FaultRun = { milliseconds: number; hasStandbys: boolean; log(line: string): void }

/**
 * Makes random changes and every fault in turn, in at least one round, on servers of its own. Ends
 * with a failover if there are standbys. Throws `Disagreement` if a node is wrong.
 */
export async function runWithFaults({ milliseconds, hasStandbys, log }: FaultRun): Promise<void> {
  log(`AGREEMENT_SEED=${agreementSeed}`)
  const cluster = await startReplicatedCluster(hasStandbys ? 2 : 0)
  try {
    // What is not flushed at once stays in memory long enough to be lost in a crash.
    await cluster.primary.query("alter system set wal_writer_delay = '10s'")
    await cluster.primary.query('select pg_reload_conf()')
    const before = process.env.TEST_DATABASE_URL
    process.env.TEST_DATABASE_URL = cluster.primary.url
    await runOn(cluster, milliseconds, hasStandbys, log)
    if (before === undefined) delete process.env.TEST_DATABASE_URL
    else process.env.TEST_DATABASE_URL = before
  } finally {
    await cluster.close()
  }
}

async function runOn(
  cluster: Servers,
  milliseconds: number,
  hasStandbys: boolean,
  log: FaultRun['log'],
): Promise<void> {
  const hosts = [cluster.primary, ...cluster.standbys].map(({ url }) => new URL(url).host)
  const replicas = hasStandbys
    ? { urls: cluster.standbys.map(({ url }: ClusterServer) => url) }
    : undefined
  const agreement = await startAgreement({ patience }, hosts, replicas)
  const { scene, fail, changeAnything, summarize } = agreement
  const startedAt = performance.now()
  const isOver = () => performance.now() - startedAt > milliseconds
  // What is logged last is what a run that does not end waits for.
  const failNamed = async (name: string, fault: () => Promise<unknown>) => {
    log(`${((performance.now() - startedAt) / 1000).toFixed()} s: ${name}`)
    await fail(name, fault)
  }
  try {
    for (let round = 0; round === 0 || !isOver(); round += 1)
      for (const [name, fault] of Object.entries(faults)) {
        if (round > 0 && isOver()) break
        if (!hasStandbys && /replay|standby/.test(name)) continue
        await failNamed(name, () => fault(agreement, cluster))
        await changeAnything()
      }
    if (hasStandbys) await failNamed('standby promoted', () => failOver(agreement, cluster))
  } finally {
    log(summarize())
    log(JSON.stringify(scene && agreement.counts.faults))
    await agreement.stop().catch(() => {})
  }
}
