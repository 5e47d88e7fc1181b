import { setTimeout as sleep } from 'node:timers/promises'
import { warnOfDevelopmentMode } from '../admin/service-apps.ts'
import { readEncryptionKeys } from '../config/encryption-keys.ts'
import { type Job, untilDone } from '../core/job.ts'
import type { Logger } from '../core/logger.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { requireKnownFacts } from '../database/newer-facts.ts'
import { poolTimeouts } from '../database/pool.ts'
import { waitForDatabase } from '../database/wait-for-database.ts'
import { registerAccountClient } from '../identity/account-client.ts'
import { createProviders } from '../identity/providers/providers.ts'
import { createMailClient } from '../outbound/mail-client.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { createAdmissions } from '../rpc/admit.ts'
import { type Application, createApplication } from './application.ts'
import type { Config } from './config.ts'
import { startFeatureServers } from './feature-servers.ts'
import { createJobs, startJobs } from './jobs.ts'
import { createCallLog } from './observability/call-log.ts'
import { startExports } from './observability/exports.ts'
import { createFailureLog } from './observability/failure-log.ts'
import { createMetrics, type Metrics } from './observability/metrics.ts'
import { openDecisionLog } from './observability/open-decision-log.ts'
import { addReplicaMetrics, createReplicaLog } from './observability/replicas.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import { openReloadables } from './reloadables.ts'
import { createStores } from './stores.ts'

/** One process that serves both transports. */
export type Node = {
  application: Application
  database: Database
  grpcPort: number
  httpPort: number
  /** The ports of the servers of features, by the names of the features. */
  featurePorts: Record<string, number>
  metrics: Metrics
  readReadiness(): Promise<Readiness>
  /** Replaces the signing keys and certificates if they have changed. */
  reload(): Promise<void>
  /** Reports that the node is not ready, and accepts no more connections after the drain delay. */
  stopListening(): Promise<void>
  /** Stops listening, drains both transports, then closes the database. */
  stop(): Promise<void>
}

/** Milliseconds between updates of `grpc.health.v1`. */
const healthInterval = 2000

const minute = 60_000

const keyUsesFailure = 'Recording the use of service keys failed'

/**
 * Milliseconds for which idle REST connections are kept during a drain, unless the drain delay is
 * longer. A client that uses its connection learns from the next response that it ends, instead of
 * sending a request on a connection that is being closed.
 */
const minIdle = 1000

export type NodeOptions = {
  /** Whether the pages of features are still being built, so that their absence is not an error. */
  isBeingBuilt?: boolean
  /** Stops another process from accepting connections for this one. */
  stopAccepting?: () => Promise<void>
}

/** Starts a node on a database that is already migrated. */
export async function startNode(
  config: Config,
  log: Logger,
  rateLimiter: RateLimiter,
  { isBeingBuilt = false, stopAccepting }: NodeOptions = {},
): Promise<Node> {
  const warn = (text: string) => log.warn(text)
  const keysRequired = config.SERVICE_KEYS_REQUIRED
  const reloadables = await openReloadables(config, log, (tls) => application?.setGrpcTls(tls))
  const drainDelay = config.DRAIN_DELAY_SECONDS * 1000
  const idle = Math.max(drainDelay, minIdle)
  let application: Application | undefined
  const database = await openDatabase(config.DATABASE_URL, warn, poolTimeouts, {
    urls: config.REPLICA_URLS,
    onStatus: createReplicaLog(log),
  })
  const readiness = createReadiness({
    rateLimiter,
    keysRequired,
    control: database.control,
    replicas: database.replicas,
    hasRedis: config.REDIS_URL.length > 0,
  })
  const admissions = createAdmissions()
  const metrics = createMetrics(database.counts, readiness.read, admissions, {
    reloads: reloadables.states,
    signingKey: reloadables.readSigningKey,
    certificateExpiry: reloadables.readCertificateExpiry,
  })
  if (database.replicas) addReplicaMetrics(metrics.registry, database.replicas.state)
  const logCall = createCallLog(log)
  const logFailure = createFailureLog(log)
  const exports = await startExports(config, metrics.registry, log)
  const close = async () => {
    await exports.stop()
    await rateLimiter.close()
    await database.close()
  }
  try {
    await waitForDatabase(database.execute)
    await requireKnownFacts(database.execute)
    const running = createApplication({
      database,
      rateLimiter,
      admissions,
      warn,
      now: () => new Date(),
      currentKeys: reloadables.currentKeys,
      providers: createProviders(config),
      onFailure: (error, { requestId }) =>
        log.error({ request_id: requestId, reason: error.reason, err: error.cause }, error.message),
      sendMail: config.SMTP_URL ? createMailClient(config.SMTP_URL, config.SMTP_FROM) : undefined,
      logFailure,
      observers: {
        onCallEnd(result) {
          metrics.countCall(result)
          logCall(result)
        },
        onDecisions: openDecisionLog(config, database, exports.writeDecision),
        onFactsBatch: metrics.countBatch,
        onCachedQuery: metrics.countCachedQuery,
        onSignIn: metrics.countSignIn,
        onReplay: metrics.countReplay,
        trace: exports.trace,
      },
      settings: config,
      encryptionKeys: readEncryptionKeys(config),
      grpcTls: reloadables.currentTls(),
    })
    application = running
    const grpcPort = await running.listenGrpc(config.GRPC_HOST, config.GRPC_PORT)
    const httpPort = await running.listenHttp(config.HTTP_HOST, config.HTTP_PORT)
    const openStores = () => createStores(database.fork())
    await registerAccountClient(openStores(), config.BASE_URL)
    const servers = await startFeatureServers({
      settings: config,
      log,
      openStores,
      grpcPort,
      isBeingBuilt,
    })
    await warnOfDevelopmentMode(openStores(), { warn, keysRequired })

    const onKeyUsesFailure = logFailure(keyUsesFailure)
    const nodeJobs: Job[] = [
      { failure: keyUsesFailure, interval: minute, run: untilDone(running.writeKeyUses) },
      {
        failure: 'Reading readiness failed',
        interval: healthInterval,
        run: untilDone(async () => running.setServing((await readiness.read()).ready)),
      },
      {
        failure: 'Reloading failed',
        interval: config.RELOAD_INTERVAL_SECONDS * 1000,
        run: untilDone(reloadables.reload),
      },
    ]
    const jobs = startJobs(
      [...createJobs(database, running.services, config), ...nodeJobs],
      logFailure,
    )
    const stopListening = async () => {
      readiness.drain()
      await sleep(drainDelay)
      await stopAccepting?.()
      await Promise.all([
        running.stopListening(),
        servers.stopListening(),
        ...jobs.map((job) => job.stop()),
      ])
    }
    let stopping: Promise<void> | undefined
    const stopListeningOnce = () => {
      stopping ??= stopListening()
      return stopping
    }
    return {
      application: running,
      database,
      metrics,
      grpcPort,
      httpPort,
      featurePorts: servers.ports,
      readReadiness: readiness.read,
      reload: reloadables.reload,
      stopListening: stopListeningOnce,
      async stop() {
        await stopListeningOnce()
        await Promise.all([running.drain(idle), running.stop(), servers.drain(idle)])
        await running.writeKeyUses().catch(onKeyUsesFailure)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}
