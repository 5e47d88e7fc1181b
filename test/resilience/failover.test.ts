import test from 'ava'
import pg from 'pg'
import { createFaultEnvironment } from '../../bench/faults/fault-environment.ts'
import { findLosses } from '../../bench/faults/ledger.ts'
import { startTraffic } from '../../bench/faults/traffic.ts'
import { type ClusterServer, startReplicatedCluster } from '../support/replication.ts'
import { waitUntil } from '../support/wait-until.ts'

const cluster = await startReplicatedCluster(2, { isSynchronous: true })
test.after.always(() => cluster.close())

/** Returns the standbys, the one that has received the most first. */
async function sortByReceived(standbys: ClusterServer[]): Promise<ClusterServer[]> {
  const sql = `select pg_wal_lsn_diff(pg_last_wal_receive_lsn(), '0/0')::float8 as received`
  const positions = await Promise.all(
    standbys.map(async (standby) => {
      const [row] = await standby.query<{ received: number }>(sql)
      return { standby, received: row?.received ?? 0 }
    }),
  )
  return positions.sort((a, b) => b.received - a.received).map(({ standby }) => standby)
}

test('a node with several hosts in DATABASE_URL follows a failover and loses no acknowledged write', async (t) => {
  const { primary, standbys } = cluster
  const environment = await createFaultEnvironment(primary.url)
  t.teardown(() => environment.close())
  const { host } = new URL(primary.url)
  const hosts = [primary, ...standbys].map(({ url }) => new URL(url).host).join(',')
  const url = `${primary.url.replace(host, hosts)}?target_session_attrs=read-write`
  const node = await environment.node({ DATABASE_URL: url })
  t.teardown(() => node.kill())
  const workspace = await environment.workspace()
  const traffic = await startTraffic(node, workspace, 2)
  const { ledger, outcomes } = traffic
  await waitUntil(() => ledger.registered.size > 20 && ledger.shared.size > 20)

  const killedAt = performance.now()
  await primary.kill()
  const [promoted, other] = (await sortByReceived(standbys)) as [ClusterServer, ClusterServer]
  const before = ledger.registered.size
  await promoted.promote()
  await other.follow(promoted)
  const promotedAt = performance.now()
  await waitUntil(() => ledger.registered.size > before)
  const writesAt = performance.now()
  await waitUntil(() => ledger.registered.size > before + 20)
  await traffic.stop()

  const seconds = (from: number, to: number) => ((to - from) / 1000).toFixed(2)
  t.log(
    `${seconds(killedAt, writesAt)} s without writes, ${seconds(promotedAt, writesAt)} s of them after the promotion`,
  )
  t.log(outcomes)
  t.deepEqual(Object.keys(outcomes).sort(), ['ok', 'unavailable'])
  const pool = new pg.Pool({ connectionString: promoted.url })
  t.teardown(() => pool.end())
  t.deepEqual(await findLosses(pool, workspace, ledger), [])
})
