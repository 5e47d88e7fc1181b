import type { EntityManager } from '@mikro-orm/postgresql'
import pg, { type Pool } from 'pg'
import { createClientClass } from './client.ts'
import { type ControlConnection, createControlConnection } from './control-connection.ts'
import { statementError } from './database-errors.ts'
import { openOrm } from './orm.ts'
import {
  countConnections,
  maxStatementConnections,
  type PoolCounts,
  poolTimeouts,
  withClient,
} from './pool.ts'
import { createPrimaryHosts, followPrimary } from './primary-hosts.ts'
import { query } from './query.ts'
import { createReadIndexSource } from './replicas/read-index-source.ts'
import { openReplica } from './replicas/replica.ts'
import type { ReplicaStatus } from './replicas/replica-choice.ts'
import {
  createReplicaReads,
  type ReplicaReads,
  requireDurableCommits,
} from './replicas/replica-reads.ts'
import { tellSchemaVersion } from './schema-version.ts'
import { createStatementPool, type StatementPool, type Statements } from './statement-pool.ts'

/** The connections of a node to PostgreSQL. */
export type Database = {
  /** Creates an entity manager for one call. */
  fork(): EntityManager
  /**
   * Runs SQL of a library, which may consist of several statements, and returns the rows of all.
   */
  execute: ExecuteSql
  /** Runs the prepared statements that every call depends on, on the primary. */
  statements: StatementPool
  /**
   * Runs prepared statements that only read, on a replica if there is one. Their results include
   * every write that was acknowledged before the call.
   */
  reads: Statements
  /** Undefined without replicas. */
  replicas: Pick<ReplicaReads, 'state' | 'rowsWithSnapshot'> | undefined
  /** Stays available when the pools are exhausted. */
  control: ControlConnection
  /** The connections of each pool to the primary, for metrics. */
  counts(): { statements: PoolCounts; entities: PoolCounts }
  close(): Promise<void>
}

export type ExecuteSql = (text: string, values?: unknown[]) => Promise<{ rows: object[] }>

/** The standbys that serve reads. */
export type ReplicaSettings = {
  urls: string[]
  /** Called when a replica becomes readable or unreadable. */
  onStatus?: (name: string, status: ReplicaStatus, previous: ReplicaStatus) => void
}

/**
 * Opens the database at `url`. Connects on first use, or immediately if there are replicas.
 * The connections follow the host that accepts writes. `warn` is called for
 * lost connections.
 *
 * @throws an Error with `code` ASYNCHRONOUS_COMMIT if there are replicas and commits are
 * acknowledged before they are durable
 */
export async function openDatabase(
  url: string,
  warn: (text: string) => void,
  timeouts = poolTimeouts,
  replicas: ReplicaSettings = { urls: [] },
): Promise<Database> {
  const onError = (error: Error) => warn(error.message)
  const hosts = createPrimaryHosts(url)
  await hosts.locate()
  const connectionString = hosts.current()
  const control = createControlConnection(
    { connectionString, Client: tellSchemaVersion(followPrimary(pg.Client, hosts)) },
    onError,
  )
  const Client = tellSchemaVersion(followPrimary(createClientClass(control.cancel), hosts))
  const config = { connectionString, Client, max: maxStatementConnections, ...timeouts }
  const statements = createStatementPool(config, onError)
  let entityPool: Pool | undefined
  const orm = await openOrm(connectionString, {
    timeouts,
    Client,
    onPoolCreated(pool) {
      entityPool = pool
    },
  })

  async function execute(text: string, values: unknown[] = []): Promise<{ rows: object[] }> {
    // Opens the pool.
    if (!entityPool) await query(orm.em.fork(), 'select 1')
    const found: unknown = await withClient(entityPool as Pool, (client) =>
      client.query(text, values),
    ).catch((error) => {
      throw statementError(error)
    })
    const results = (Array.isArray(found) ? found : [found]) as { rows: object[] }[]
    return { rows: results.flatMap(({ rows }) => rows) }
  }

  let replicaReads: ReplicaReads | undefined
  const close = async () => {
    await replicaReads?.close()
    await statements.close()
    await control.close()
    await orm.close(true)
  }
  if (replicas.urls.length > 0) {
    const { urls, onStatus = () => {} } = replicas
    const readIndex = createReadIndexSource(config, onError)
    replicaReads = createReplicaReads({
      primary: statements,
      replicas: urls.map((url) => openReplica({ url, timeouts, onError, onStatus })),
      readIndex,
    })
    try {
      await requireDurableCommits(readIndex)
      await replicaReads.start()
    } catch (error) {
      await close()
      throw error
    }
  }
  return {
    statements,
    reads: replicaReads ?? statements,
    replicas: replicaReads,
    control,
    fork: () => orm.em.fork(),
    execute,
    counts: () => ({
      statements: statements.counts(),
      entities: entityPool ? countConnections(entityPool) : { used: 0, idle: 0, waiting: 0 },
    }),
    close,
  }
}
