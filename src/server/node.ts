import { setTimeout as sleep } from 'node:timers/promises'
import { warnOfDevelopmentMode } from '../admin/service-apps.ts'
import { readEncryptionKeys } from '../config/encryption-keys.ts'
import { type Job, untilDone } from '../core/job.ts'
import type { Logger } from '../core/logger.ts'
import { type Database, openDatabase } from '../database/database.ts'
import { requireKnownFacts } from '../database/newer-facts.ts'
import { poolTimeouts } from '../database/pool.ts'
import { createConsoleServer } from '../http/console.ts'
import { registerAccountClient, registerConsoleClient } from '../identity/built-in-clients.ts'
import { openKeys } from '../identity/key-source.ts'
import { createProviders } from '../identity/providers/providers.ts'
import { isAdminMethod, listSignInMethods, titleOf } from '../identity/providers/sign-in-methods.ts'
import { consoleClientId } from '../identity/store/client-store.ts'
import { createMailClient } from '../outbound/mail-client.ts'
import { findActiveUser } from '../permissions/engine/find-subject.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { createAdmissions } from '../rpc/admit.ts'
import { type Application, createApplication } from './application.ts'
import type { Config } from './config.ts'
import { features } from './features.ts'
import { openGrpcTls, readCertificateExpiry } from './grpc-tls.ts'
import { createJobs, startJobs } from './jobs.ts'
import { createCallLog } from './observability/call-log.ts'
import { createDecisionLog, createLineWriter } from './observability/decision-log.ts'
import { createFailureLog } from './observability/failure-log.ts'
import { createMetrics, type Metrics } from './observability/metrics.ts'
import { startDecisionExport } from './observability/otlp-decisions.ts'
import { startMetricsExport } from './observability/otlp-metrics.ts'
import { addReplicaMetrics, createReplicaLog } from './observability/replicas.ts'
import { startTracing } from './observability/tracing.ts'
import { createReadiness, type Readiness } from './readiness.ts'
import { createReloadable } from './reload.ts'
import { createStores } from './stores.ts'

/** One process that serves both transports. */
export type Node = {
  application: Application
  database: Database
  grpcPort: number
  httpPort: number
  /** Undefined if the admin console is not served. */
  consolePort: number | undefined
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

/** Milliseconds that responses of the admin console have to finish. */
const consoleDrainTimeout = 2000

export type NodeOptions = {
  /** Whether the admin console is still being built, so that its absence is not an error. */
  isConsoleBeingBuilt?: boolean
  /** Stops another process from accepting connections for this one. */
  stopAccepting?: () => Promise<void>
}

/** Starts a node on a database that is already migrated. */
export async function startNode(
  config: Config,
  log: Logger,
  rateLimiter: RateLimiter,
  { isConsoleBeingBuilt = false, stopAccepting }: NodeOptions = {},
): Promise<Node> {
  const warn = (text: string) => log.warn(text)
  const keysRequired = config.SERVICE_KEYS_REQUIRED
  const keys = await createReloadable({
    name: 'signing keys',
    source: openKeys(config),
    log,
  })
  const tlsSource = openGrpcTls(config)
  const tls =
    tlsSource &&
    (await createReloadable({
      name: 'gRPC certificates',
      source: tlsSource,
      log,
      onChange: (value) => application?.setGrpcTls(value),
    }))
  const drainDelay = config.DRAIN_DELAY_SECONDS * 1000
  const idle = Math.max(drainDelay, minIdle)
  const reloadables = tls ? [keys, tls] : [keys]
  const reload = async () => {
    await Promise.all(reloadables.map((reloadable) => reloadable.reload()))
  }
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
    reloads: reloadables.map(({ state }) => state),
    signingKey: () => {
      const { signer, createdAt } = keys.current()
      return { kid: signer.kid, createdAt }
    },
    certificateExpiry: () => (tls ? readCertificateExpiry(tls.current()) : {}),
  })
  if (database.replicas) addReplicaMetrics(metrics.registry, database.replicas.state)
  const logCall = createCallLog(log)
  const logFailure = createFailureLog(log)
  const endpoint = config.OTEL_EXPORTER_OTLP_ENDPOINT
  const serviceName = config.OTEL_SERVICE_NAME
  const tracing = endpoint ? await startTracing(endpoint, serviceName) : undefined
  const metricsExport =
    endpoint && config.OTEL_METRICS_EXPORTER === 'otlp'
      ? await startMetricsExport({
          endpoint,
          serviceName,
          interval: config.OTEL_METRIC_EXPORT_INTERVAL,
          registry: metrics.registry,
          log,
        })
      : undefined
  const decisionExport =
    config.DECISION_LOG !== 'off' && config.DECISION_LOG_OUTPUT === 'otlp'
      ? await startDecisionExport({ endpoint, serviceName, log })
      : undefined
  const close = async () => {
    await decisionExport
      ?.stop()
      .catch((error) => log.warn({ err: error }, 'Exporting the last decisions failed'))
    await metricsExport
      ?.stop()
      .catch((error) => log.warn({ err: error }, 'Exporting the last metrics failed'))
    await tracing?.stop().catch((error) => log.warn({ err: error }, 'Sending spans failed'))
    await rateLimiter.close()
    await database.close()
  }
  try {
    await requireKnownFacts(database.execute)
    const running = createApplication({
      database,
      rateLimiter,
      admissions,
      warn,
      now: () => new Date(),
      currentKeys: keys.current,
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
        onDecisions: openDecisionLog(config, database, decisionExport?.write),
        onFactsBatch: metrics.countBatch,
        onCachedQuery: metrics.countCachedQuery,
        onSignIn: metrics.countSignIn,
        onReplay: metrics.countReplay,
        trace: tracing?.trace,
      },
      settings: config,
      encryptionKeys: readEncryptionKeys(config),
      grpcTls: tls?.current(),
    })
    application = running
    const grpcPort = await running.listenGrpc(config.GRPC_HOST, config.GRPC_PORT)
    const httpPort = await running.listenHttp(config.HTTP_HOST, config.HTTP_PORT)
    const adminConsole = await startConsole(config, log, grpcPort, isConsoleBeingBuilt)
    const openStores = () => createStores(database.fork())
    if (adminConsole) await registerConsoleClient(openStores(), config.ADMIN_URL)
    await registerAccountClient(openStores(), config.BASE_URL)
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
        run: untilDone(reload),
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
        adminConsole?.stopListening(),
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
      consolePort: adminConsole?.port,
      readReadiness: readiness.read,
      reload,
      stopListening: stopListeningOnce,
      async stop() {
        await stopListeningOnce()
        await Promise.all([
          running.drain(idle),
          running.stop(),
          adminConsole?.drain(consoleDrainTimeout, idle),
        ])
        await running.writeKeyUses().catch(onKeyUsesFailure)
        await close()
      },
    }
  } catch (error) {
    await close()
    throw error
  }
}

/** Returns the log of decisions, or undefined if it is off. */
function openDecisionLog(
  { DECISION_LOG: decisions, DECISION_LOG_SAMPLE: sample }: Config,
  { statements }: Database,
  write = createLineWriter(),
) {
  if (decisions === 'off') return undefined
  return createDecisionLog({
    decisions,
    sample,
    findUser: (subject) => findActiveUser(statements, subject),
    write,
  })
}

/**
 * Starts the admin console. Without a build, it starts only if one may follow: in debug mode, or
 * while the console is being built.
 */
async function startConsole(config: Config, log: Logger, grpcPort: number, isBeingBuilt: boolean) {
  if (!config.CONSOLE_ENABLED) return undefined
  const server = createConsoleServer({
    baseUrl: config.BASE_URL,
    adminUrl: config.ADMIN_URL,
    grpcAddress: config.GRPC_ADDRESS || `${new URL(config.BASE_URL).hostname}:${grpcPort}`,
    isGrpcEncrypted: config.GRPC_TLS_CERT_PATH !== '',
    allowedHosts: config.ALLOWED_HOSTS,
    secureCookies: config.COOKIE_SECURE,
    debug: config.DEBUG,
    workspaceClientId: consoleClientId,
    providers: listSignInMethods(config)
      .filter((name) => isAdminMethod(config, name))
      .map((name) => ({ name, title: titleOf(config, name) })),
    features: features.map(({ name }) => name),
  })
  if (!server.hasBuild && !isBeingBuilt) {
    log.warn('The admin console has not been built: run `npm run console:build`')
    if (!config.DEBUG) return undefined
  }
  const port = await server.listen(config.HTTP_HOST, config.CONSOLE_PORT)
  return { port, stopListening: server.stopListening, drain: server.drain }
}
