import { untilDone } from '../../core/job.ts'
import { requestScope } from '../../core/request-scope.ts'
import { type RunningJob, runEvery } from '../../core/run-every.ts'
import type { PoolCounts } from '../pool.ts'
import type { Statements } from '../statement-pool.ts'
import type { ReadIndex, ReadIndexSource } from './read-index-source.ts'
import { type Replica, ReplicaUnusableError } from './replica.ts'
import { chooseReplica, type ReplicaStatus } from './replica-choice.ts'
import type { PrimarySnapshot } from './settled-snapshots.ts'

/** Why the primary served a read although there are replicas. */
export type FallbackReason =
  | Exclude<ReplicaStatus, 'ok'>
  /** No replica could be read. */
  | 'no_replica'
  /** The primary acknowledges commits before they are flushed. */
  | 'asynchronous_commit'
  /** The statement failed on the replica, for example because it conflicted with replay. */
  | 'statement_failed'

/** The state of a replica, for metrics and readiness. */
export type ReplicaState = {
  name: string
  status: ReplicaStatus
  outstanding: number
  reads: number
  /** Bytes of the log that it has not replayed yet; undefined while unknown. */
  lagBytes: number | undefined
  connections: PoolCounts
}

/** The rows of a read. `included` is a snapshot that this read and every later one include. */
export type SnapshotRows<Row> = { rows: Row[]; included: PrimarySnapshot | undefined }

/** Runs read-only statements on replicas. */
export type ReplicaReads = Statements & {
  /** Runs a statement like `rows`. */
  rowsWithSnapshot<Row extends unknown[]>(
    name: string,
    sql: string,
    values: unknown[],
  ): Promise<SnapshotRows<Row>>
  state(): { replicas: ReplicaState[]; fallbacks: Map<FallbackReason, number> }
  /** Probes the replicas once, then periodically. */
  start(): Promise<void>
  close(): Promise<void>
}

type ReplicaReadsOptions = {
  primary: Statements
  replicas: Replica[]
  readIndex: ReadIndexSource
}

/** Milliseconds between probes of the replicas. */
const probeInterval = 100

/**
 * Reads from replicas with the consistency of the primary: the result of each statement includes
 * every write that was acknowledged before the call (a read index). It reads the WAL position of
 * the primary, waits until a replica has replayed it, and runs the statement there.
 *
 * If the replica has not replayed it after a few milliseconds, or fails, the statement runs on the
 * primary. Without a primary, the statement fails, because no replica can know whether it is up to
 * date.
 */
export function createReplicaReads({
  primary,
  replicas,
  readIndex,
}: ReplicaReadsOptions): ReplicaReads {
  const fallbacks = new Map<FallbackReason, number>()
  let latest: ReadIndex | undefined
  let jobs: RunningJob[] = []

  async function readLatestIndex(): Promise<ReadIndex> {
    latest = await readIndex.read()
    return latest
  }

  /** Returns the rows, or the reason why the primary must serve the read. */
  async function readReplica<Row extends unknown[]>(
    name: string,
    text: string,
    values: unknown[],
  ): Promise<SnapshotRows<Row> | FallbackReason> {
    if (!chooseReplica(replicas)) return 'no_replica'
    const index = await readLatestIndex()
    if (!index.isDurable) return 'asynchronous_commit'
    const replica = chooseReplica(replicas)
    if (!replica) return 'no_replica'
    try {
      const rows = await replica.rows<Row>(index, { name, text, values })
      return { rows, included: index.included }
    } catch (error) {
      if (requestScope.getStore()?.signal.aborted) throw error
      if (!(error instanceof ReplicaUnusableError)) return 'statement_failed'
      return error.status === 'ok' ? 'statement_failed' : error.status
    }
  }

  async function rowsWithSnapshot<Row extends unknown[]>(
    name: string,
    text: string,
    values: unknown[],
  ): Promise<SnapshotRows<Row>> {
    const result = await readReplica<Row>(name, text, values)
    if (typeof result !== 'string') return result
    fallbacks.set(result, (fallbacks.get(result) ?? 0) + 1)
    await readIndex.awaitCommits()
    const included = latest?.included
    return { rows: await primary.rows<Row>(name, text, values), included }
  }

  return {
    rowsWithSnapshot,
    rows: async <Row extends unknown[]>(name: string, text: string, values: unknown[]) =>
      (await rowsWithSnapshot<Row>(name, text, values)).rows,
    state: () => ({
      replicas: replicas.map((replica) => describeReplica(replica, latest)),
      fallbacks,
    }),
    async start() {
      await readLatestIndex()
      await Promise.all(replicas.map((replica) => replica.probe(latest)))
      // Probes run independently, so that an unresponsive server does not delay the others. Without
      // a primary, they compare with its last known state.
      jobs = [
        startProbe(readLatestIndex),
        ...replicas.map((replica) => startProbe(() => replica.probe(latest))),
      ]
    },
    async close() {
      await Promise.all(jobs.map((job) => job.stop()))
      await Promise.all(replicas.map((replica) => replica.close()))
      await readIndex.close()
    },
  }
}

function startProbe(probe: () => Promise<unknown>): RunningJob {
  return runEvery(probeInterval, untilDone(probe), () => {})
}

function describeReplica(replica: Replica, latest: ReadIndex | undefined): ReplicaState {
  const { name, status, outstanding, reads, replayedLsn } = replica
  const isComparable = latest !== undefined && replayedLsn !== undefined
  const lag = isComparable ? Number(latest.position.lsn - replayedLsn) : undefined
  return {
    name,
    status,
    outstanding,
    reads,
    lagBytes: lag === undefined ? undefined : Math.max(lag, 0),
    connections: replica.counts(),
  }
}

/**
 * Requires that the primary flushes each commit before it acknowledges it, which the position of a
 * read depends on.
 *
 * @throws an Error with `code` ASYNCHRONOUS_COMMIT
 */
export async function requireDurableCommits({
  read,
}: Pick<ReadIndexSource, 'read'>): Promise<void> {
  const { isDurable } = await read()
  if (isDurable) return
  const message =
    'REPLICA_URLS requires synchronous_commit = on, but PostgreSQL has it off: ' +
    'a standby could miss a change that has been acknowledged'
  throw Object.assign(new Error(message), { code: 'ASYNCHRONOUS_COMMIT' })
}
