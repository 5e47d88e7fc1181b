import { Counter, Gauge, type Registry } from 'prom-client'
import type { Logger } from '../../core/logger.ts'
import { type ReplicaStatus, replicaStatuses } from '../../database/replicas/replica-choice.ts'
import type { ReplicaReads } from '../../database/replicas/replica-reads.ts'

/** Adds the metrics of replicas. Their values are read when they are scraped. */
export function addReplicaMetrics(registry: Registry, readState: ReplicaReads['state']): void {
  const registers = [registry]
  new Gauge({
    name: 'daikon_replica_status',
    help: 'Whether a replica has this status; it is read while the status is ok',
    labelNames: ['replica', 'status'],
    registers,
    aggregator: 'max',
    collect() {
      for (const { name, status } of readState().replicas)
        for (const possible of replicaStatuses)
          this.set({ replica: name, status: possible }, possible === status ? 1 : 0)
    },
  })
  new Gauge({
    name: 'daikon_replica_lag_bytes',
    help: 'Bytes of the write-ahead log that a replica has not replayed yet',
    labelNames: ['replica'],
    registers,
    aggregator: 'max',
    collect() {
      for (const { name, lagBytes } of readState().replicas)
        if (lagBytes !== undefined) this.set({ replica: name }, lagBytes)
    },
  })
  new Gauge({
    name: 'daikon_replica_outstanding_reads',
    help: 'Statements that run on a replica',
    labelNames: ['replica'],
    registers,
    collect() {
      for (const { name, outstanding } of readState().replicas)
        this.set({ replica: name }, outstanding)
    },
  })
  new Gauge({
    name: 'daikon_replica_pool_connections',
    help: 'Connections to a replica, by state',
    labelNames: ['replica', 'state'],
    registers,
    collect() {
      for (const { name, connections } of readState().replicas) {
        this.set({ replica: name, state: 'used' }, connections.used)
        this.set({ replica: name, state: 'idle' }, connections.idle)
      }
    },
  })
  new Counter({
    name: 'daikon_replica_reads_total',
    help: 'Statements that a replica has served',
    labelNames: ['replica'],
    registers,
    collect() {
      this.reset()
      for (const { name, reads } of readState().replicas) this.inc({ replica: name }, reads)
    },
  })
  new Counter({
    name: 'daikon_replica_fallbacks_total',
    help: 'Statements that the primary served although there are replicas, by reason',
    labelNames: ['reason'],
    registers,
    collect() {
      this.reset()
      for (const [reason, count] of readState().fallbacks) this.inc({ reason }, count)
    },
  })
}

/** Advice to operators about a replica that cannot be read, by status. */
const advice: Partial<Record<ReplicaStatus, string>> = {
  not_streaming:
    'it does not receive the log of its primary, or its user is not a member of pg_read_all_stats',
  other_cluster: 'it does not belong to the cluster of DATABASE_URL; correct REPLICA_URLS',
  other_timeline: 'it does not follow the primary of DATABASE_URL; let it follow, or rebuild it',
  clock_skew: "its clock differs from the primary's; synchronize both by NTP",
}

/** Returns a function that logs when a replica becomes readable or unreadable. */
export function createReplicaLog(
  log: Logger,
): (name: string, status: ReplicaStatus, previous: ReplicaStatus) => void {
  return (replica, status, previous) => {
    const isLag = status === 'lagging' || (status === 'ok' && previous === 'lagging')
    if (isLag) {
      log.debug({ replica, status }, 'The lag of a replica has changed')
    } else if (status === 'ok') {
      log.info({ replica }, 'A replica is read')
    } else if (status === 'primary') {
      log.info({ replica }, 'A server of REPLICA_URLS is a primary')
    } else {
      const line = { replica, status, advice: advice[status] }
      log.warn(line, 'A replica is not read: the others or the primary are read instead')
    }
  }
}
