import { setTimeout as sleep } from 'node:timers/promises'
import pg, { type ClientBase } from 'pg'
import { ServiceError } from '../../core/errors.ts'
import { createClientClass } from '../client.ts'
import { createControlConnection } from '../control-connection.ts'
import {
  countConnections,
  maxStatementConnections,
  type PoolCounts,
  type poolTimeouts,
  withClient,
} from '../pool.ts'
import { createGenericPlanPool } from '../statement-pool.ts'
import {
  areClocksClose,
  areClocksSkewed,
  type ClockOffset,
  measureClockOffset,
} from './clock-offset.ts'
import type { ReadIndex } from './read-index-source.ts'
import {
  assessReplica,
  type LogPosition,
  parseLsn,
  type ReplicaObservation,
  type ReplicaStatus,
} from './replica-choice.ts'
import { createSystemIdentifiers } from './system-identifiers.ts'

/** A standby that serves reads. */
export type Replica = {
  /** Host and port. */
  name: string
  readonly status: ReplicaStatus
  /** The number of running reads. */
  readonly outstanding: number
  /** The number of reads that it has served. */
  readonly reads: number
  /** The last replayed position that was observed. */
  readonly replayedLsn: bigint | undefined
  /**
   * Waits until the replica has replayed the position of `primary`, then runs a prepared statement.
   *
   * @throws ReplicaUnusableError if it does not reach the position in time or becomes unusable;
   * also throws the errors of the statement
   */
  rows<Row extends unknown[]>(
    primary: ReadIndex,
    statement: { name: string; text: string; values: unknown[] },
  ): Promise<Row[]>
  /** Updates the status. `primary` is the last known state of the primary. */
  probe(primary: ReadIndex | undefined): Promise<void>
  counts(): PoolCounts
  close(): Promise<void>
}

/** Thrown if a replica cannot serve a read; `status` is the reason. */
export class ReplicaUnusableError extends Error {
  readonly status: ReplicaStatus

  constructor(status: ReplicaStatus, options?: ErrorOptions) {
    super(`The replica is ${status}`, options)
    this.status = status
  }
}

/** In milliseconds. A read that exceeds a limit runs on the primary. */
const limits = {
  /** To replay a position, measured from the first response that showed it was behind. */
  replay: 5,
  /** For the response to each query for the position. */
  response: 100,
  /** For a probe, which may have to connect. */
  probe: 500,
}

/** Milliseconds between queries of the position while a read waits for it. */
const pollInterval = 1

/**
 * Returns one row. A statement sees what was replayed before it began, so the position must be read
 * by an earlier statement than the data. Only members of pg_read_all_stats can see the timeline.
 */
const positionSql = `
  select pg_is_in_recovery(), coalesce(pg_last_wal_replay_lsn(), '0/0')::text,
    (select received_tli from pg_stat_wal_receiver),
    extract(epoch from clock_timestamp())::float8 * 1000`

type PositionRow = [isStandby: boolean, lsn: string, timeline: number | null, time: number]

type ReplicaOptions = {
  url: string
  /** Timeouts of the connections that read. */
  timeouts: typeof poolTimeouts
  onError: (error: Error) => void
  /** Called when the status changes. */
  onStatus: (name: string, status: ReplicaStatus, previous: ReplicaStatus) => void
}

/** Opens a replica. It cannot serve reads until its first probe has succeeded. */
export function openReplica({ url, timeouts, onError, onStatus }: ReplicaOptions): Replica {
  const name = nameReplica(url)
  const systems = createSystemIdentifiers()
  const control = createControlConnection({ connectionString: url }, onError)
  const Client = createClientClass(control.cancel)
  const config = { connectionString: url, Client, onConnect: systems.onConnect }
  const pool = createGenericPlanPool(
    {
      ...config,
      ...timeouts,
      max: maxStatementConnections,
    },
    onError,
  )
  // A dedicated connection, because all connections of the pool may be in use.
  const probes = createGenericPlanPool(
    {
      ...config,
      max: 1,
      // Longer than the timeout of a probe, so the next probe finds the connection still in use.
      connectionTimeoutMillis: 2 * limits.probe,
      query_timeout: 2 * limits.probe,
    },
    onError,
  )
  let status: ReplicaStatus = 'connecting'
  let replayedLsn: bigint | undefined
  /** The latest position that was not replayed in time. */
  let missed: LogPosition | undefined
  let reads = 0
  /** Callbacks that fail the running reads. */
  const interrupts = new Set<(error: ReplicaUnusableError) => void>()

  function setStatus(next: ReplicaStatus) {
    if (next === status) return
    const previous = status
    status = next
    onStatus(name, next, previous)
  }

  async function observe(client: ClientBase): Promise<ReplicaObservation & { clock: ClockOffset }> {
    const sentAt = performance.now()
    const { rows } = await client.query<PositionRow>({
      name: 'replica position',
      text: positionSql,
      rowMode: 'array',
    })
    const [isStandby, lsn, timeline, time] = rows[0] as PositionRow
    replayedLsn = parseLsn(lsn)
    return {
      system: systems.of(client),
      isStandby,
      timeline: timeline ?? undefined,
      replayedLsn,
      clock: measureClockOffset(time, sentAt),
    }
  }

  /** Throws if the connection leads elsewhere, which closes it, so that the next one may not. */
  function requireSameSystem(client: ClientBase, { position }: ReadIndex): void {
    if (systems.of(client) !== position.system) throw new ReplicaUnusableError('other_cluster')
  }

  /** Returns `ok` once the replica has replayed the position, or why it cannot be read. */
  async function waitUntilReplayed(
    client: ClientBase,
    { position: required, clock }: ReadIndex,
  ): Promise<ReplicaStatus> {
    let deadline: number | undefined
    for (;;) {
      const observation = await respondsWithin(observe(client), limits.response)
      const assessed = assessReplica(observation, required)
      if (assessed === 'ok' && !areClocksClose(observation.clock, clock)) return 'clock_skew'
      if (assessed !== 'lagging') return assessed
      deadline ??= performance.now() + limits.replay
      if (performance.now() >= deadline) {
        if (missed?.timeline !== required.timeline || required.lsn > missed.lsn) missed = required
        return assessed
      }
      await sleep(pollInterval)
    }
  }

  /** Runs `work` until a probe finds that no response can be expected. */
  function runInterruptible<Result>(work: () => Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      interrupts.add(reject)
      work()
        .then(resolve, reject)
        .finally(() => interrupts.delete(reject))
    })
  }

  return {
    name,
    get status() {
      return status
    },
    get outstanding() {
      return interrupts.size
    },
    get reads() {
      return reads
    },
    get replayedLsn() {
      return replayedLsn
    },
    async rows<Row extends unknown[]>(
      primary: ReadIndex,
      statement: { name: string; text: string; values: unknown[] },
    ) {
      if (status !== 'ok') throw new ReplicaUnusableError(status)
      try {
        const result = await runInterruptible(() =>
          // Both statements must use one connection: another could lead to a different server.
          withClient(pool, async (client) => {
            requireSameSystem(client, primary)
            const assessed = await waitUntilReplayed(client, primary)
            if (assessed !== 'ok') return assessed
            return client.query<Row>({ ...statement, rowMode: 'array' })
          }),
        )
        if (typeof result === 'string') throw new ReplicaUnusableError(result)
        reads += 1
        return result.rows
      } catch (error) {
        const failure = statusOf(error)
        if (!failure) throw error
        setStatus(failure)
        throw new ReplicaUnusableError(failure, { cause: error })
      }
    },
    async probe(primary) {
      if (!primary) return
      try {
        const observation = await respondsWithin(
          withClient(probes, (client) => {
            requireSameSystem(client, primary)
            return observe(client)
          }),
          limits.probe,
        )
        // A replica that lags a little is useful: each read waits for the position that it
        // requires.
        const lsn = missed?.timeline === primary.position.timeline ? missed.lsn : 0n
        const assessed = assessReplica(observation, { ...primary.position, lsn })
        const isSkewed = areClocksSkewed(observation.clock, primary.clock)
        setStatus(assessed === 'ok' && isSkewed ? 'clock_skew' : assessed)
      } catch (error) {
        const failure = statusOf(error) ?? 'unavailable'
        setStatus(failure)
        for (const interrupt of interrupts) interrupt(new ReplicaUnusableError(failure))
      }
    },
    counts: () => countConnections(pool),
    async close() {
      await Promise.all([pool.end(), probes.end(), control.close()])
    },
  }
}

/**
 * SQLSTATE classes of a server that shuts down or has no resources left, and of lost connections.
 */
const unavailableClasses = ['57P', '53', '08']

/** Returns the status of a replica after this error; undefined if the error does not concern it. */
function statusOf(error: unknown): ReplicaStatus | undefined {
  if (error instanceof ReplicaUnusableError) return error.status
  if (error instanceof NoResponseError) return 'unresponsive'
  if (error instanceof ServiceError) return undefined
  if (!(error instanceof pg.DatabaseError)) return 'unavailable'
  return unavailableClasses.some((prefix) => error.code?.startsWith(prefix))
    ? 'unavailable'
    : undefined
}

/** Thrown if a server does not respond in time. */
class NoResponseError extends Error {}

/** Settles as `response` does, or rejects with a NoResponseError after `milliseconds`. */
function respondsWithin<Result>(response: Promise<Result>, milliseconds: number): Promise<Result> {
  return new Promise((resolve, reject) => {
    const fail = () => reject(new NoResponseError(`No response within ${milliseconds} ms`))
    // If this process was busy, timers run before it reads a response that has arrived.
    const timer = setTimeout(() => setImmediate(() => setImmediate(fail)), milliseconds)
    response.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function nameReplica(url: string): string {
  const { hostname, port } = new URL(url)
  return `${hostname}:${port || 5432}`
}
