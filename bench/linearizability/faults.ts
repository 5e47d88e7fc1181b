import { setTimeout as sleep } from 'node:timers/promises'
import type { DatabaseProxy } from '../../test/support/proxy.ts'
import type { ClusterServer } from '../../test/support/replication.ts'
import { waitUntil } from '../../test/support/wait-until.ts'

/** A server of the cluster and the proxy through which the nodes connect to it. */
export type ProxiedServer = { server: ClusterServer; proxy: DatabaseProxy }

/** The servers by role. A failover changes their roles. */
export type Cluster = { primary: ProxiedServer; standbys: ProxiedServer[] }

type Fault = {
  begin(target: ProxiedServer): Promise<unknown>
  end(target: ProxiedServer): Promise<unknown>
}

const networkFaults: Record<string, Fault> = {
  'cut off': {
    begin: ({ proxy }) => proxy.cut(),
    end: ({ proxy }) => proxy.open(),
  },
  'behind a network that hangs': {
    begin: async ({ proxy }) => proxy.hang(),
    end: ({ proxy }) => proxy.open(),
  },
  'behind a slow network': {
    begin: async ({ proxy }) => proxy.delay(20),
    end: ({ proxy }) => proxy.open(),
  },
}

const paused: Fault = {
  begin: ({ server }) => server.pause(),
  end: ({ server }) => server.resume(),
}

const standbyFaults: Record<string, Fault> = {
  ...networkFaults,
  paused,
  'not replaying': {
    begin: ({ server }) => server.query('select pg_wal_replay_pause()'),
    end: ({ server }) => server.query('select pg_wal_replay_resume()'),
  },
  'replaying late': {
    begin: ({ server }) => delayReplay(server, '20ms'),
    end: ({ server }) => delayReplay(server, '0'),
  },
  killed: {
    begin: ({ server }) => server.kill(),
    end: ({ server }) => server.start(),
  },
}

const primaryFaults: Record<string, Fault> = {
  ...networkFaults,
  paused,
  'recovering after a backend was killed': {
    begin: ({ server }) => killBackend(server),
    end: async ({ server }) => {
      await waitUntil(() => server.query('select').then(isDone, isNotDone))
    },
  },
}

const isDone = () => true
const isNotDone = () => false

/** Kills a backend, as the kernel does when memory runs out. The server then restarts the others. */
async function killBackend(server: ClusterServer): Promise<void> {
  const [row] = await server.query<{ pid: number }>(
    `select pid from pg_stat_activity
     where backend_type = 'client backend' and pid <> pg_backend_pid() order by random() limit 1`,
  )
  if (row) process.kill(row.pid, 'SIGKILL')
}

/** Delays the replay of each commit. */
export async function delayReplay(server: ClusterServer, delay: string): Promise<void> {
  await server.query(`alter system set recovery_min_apply_delay = '${delay}'`)
  await server.query('select pg_reload_conf()')
}

/** The count and total duration of a fault, and the number of operations completed during it. */
export type FaultCount = { times: number; operations: number; seconds: number }

type FaultOptions = {
  /** The duration of each fault, and the pause between faults. */
  milliseconds: number
  /** Returns the number of operations that have completed. */
  countOperations: () => number
  isStopped: () => boolean
}

/**
 * Injects each fault of the standbys and the primary in turn, and a failover at the end of each
 * round. Completes at least one round, then stops once `isStopped` returns true. Returns the count
 * for each kind of fault.
 */
export async function injectFaults(
  cluster: Cluster,
  { milliseconds, countOperations, isStopped }: FaultOptions,
): Promise<Map<string, FaultCount>> {
  const counts = new Map<string, FaultCount>()
  const count = async (name: string, fault: () => Promise<unknown>) => {
    const startedAt = performance.now()
    const before = countOperations()
    await fault()
    const counted = counts.get(name) ?? { times: 0, operations: 0, seconds: 0 }
    counted.times += 1
    counted.operations += countOperations() - before
    counted.seconds += (performance.now() - startedAt) / 1000
    counts.set(name, counted)
  }
  const inject = async (role: string, name: string, fault: Fault, target: ProxiedServer) => {
    await count(`${role} ${name}`, async () => {
      await fault.begin(target)
      await sleep(milliseconds)
      await fault.end(target)
    })
    await count('between faults', () => sleep(milliseconds))
  }
  for (let round = 0; round === 0 || !isStopped(); round += 1) {
    const hasEnded = () => round > 0 && isStopped()
    for (const [index, [name, fault]] of Object.entries(standbyFaults).entries()) {
      if (hasEnded()) return counts
      const { standbys } = cluster
      const target = standbys[(round + index) % standbys.length] as ProxiedServer
      await inject('standby', name, fault, target)
    }
    for (const [name, fault] of Object.entries(primaryFaults)) {
      if (hasEnded()) return counts
      await inject('primary', name, fault, cluster.primary)
    }
    await count('primary killed and replaced', () => failOver(cluster, milliseconds))
  }
  return counts
}

/**
 * Kills the primary, promotes the standby that has received the most WAL, and rebuilds the former
 * primary.
 */
async function failOver(cluster: Cluster, milliseconds: number): Promise<void> {
  const former = cluster.primary
  // A standby that has just been restarted does not know yet how much WAL it has received.
  for (const { server } of cluster.standbys) await waitUntil(() => isStreaming(server))
  await former.server.kill()
  const candidates = await Promise.all(
    cluster.standbys.map(async (standby) => ({
      standby,
      received: await readReceived(standby.server),
    })),
  )
  candidates.sort((one, other) => Number(other.received - one.received))
  const [next, ...others] = candidates.map(({ standby }) => standby) as [ProxiedServer]
  await next.server.promote()
  for (const { server } of others as ProxiedServer[]) await server.follow(next.server)
  await sleep(milliseconds)
  await former.server.rebuild(next.server)
  cluster.primary = next
  cluster.standbys = [...others, former]
}

async function isStreaming(server: ClusterServer): Promise<boolean> {
  const [row] = await server.query<{ status: string }>('select status from pg_stat_wal_receiver')
  return row?.status === 'streaming'
}

async function readReceived(server: ClusterServer): Promise<bigint> {
  const [row] = await server.query<{ received: string }>(
    "select pg_last_wal_receive_lsn() - '0/0' as received",
  )
  return BigInt(row?.received ?? 0)
}
