import type { ServiceError } from '../core/errors.ts'
import { createSecretBox } from '../core/secret-box.ts'
import { createGrpcServer, type GrpcTls, type Keepalive } from '../grpc/server.ts'
import { createRestServer } from '../http/server.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { type Admissions, createAdmissions } from '../rpc/admit.ts'
import type { Call } from '../rpc/call.ts'
import type { Decisions } from '../rpc/decisions.ts'
import { readDocumentedRegistry, readRegistry } from '../rpc/descriptors.ts'
import {
  createForeignOperations,
  createOperations,
  createStreams,
  createWatches,
  type DeclaredOperation,
} from '../rpc/operation.ts'
import { type CallResult, createPipeline, type StartSpan } from '../rpc/pipeline.ts'
import type { IsServed } from '../rpc/served-descriptors.ts'
import { createCredentialKinds } from './credential-kinds.ts'
import { activityEvents, signInMethods } from './features.ts'
import { externalAuthorizationService, grpcServices } from './grpc-services.ts'
import { createHandlers } from './handlers.ts'
import { createKeyUses } from './key-uses.ts'
import { createPages } from './pages.ts'
import { reasons } from './reasons.ts'
import { restFormats } from './rest-formats.ts'
import {
  createServices,
  type ServiceDependencies,
  type Services,
  stopServices,
} from './services.ts'
import { createStores } from './stores.ts'

/** The dependencies of the application. */
export type ApplicationDependencies = Pick<
  ServiceDependencies,
  'database' | 'currentKeys' | 'providers' | 'now' | 'settings' | 'logFailure' | 'warn'
> & {
  rateLimiter: RateLimiter
  /** Called for every `internal` and `unavailable` error, unless the call was cancelled. */
  onFailure: (error: ServiceError, call: Call) => void
  /** Undefined if no mail server is configured. */
  sendMail?: ServiceDependencies['sendMail']
  admissions?: Admissions
  observers?: Observers
  /** The keys that encrypt secrets in the database, the one that encrypts first. */
  encryptionKeys: Buffer[]
  /** The certificates for gRPC over TLS; plaintext if undefined. */
  grpcTls?: GrpcTls | undefined
  /** Overrides when silent gRPC clients are disconnected. */
  grpcKeepalive?: Keepalive
  /** Defaults to 10,000. */
  connectionTimeout?: ServiceDependencies['connectionTimeout']
  listBudgetsOf?: ServiceDependencies['listBudgetsOf']
}

/** Callbacks for logs, metrics and traces. */
export type Observers = Pick<ServiceDependencies, 'onFactsBatch' | 'onCachedQuery'> &
  Partial<Pick<ServiceDependencies, 'onSignIn' | 'onReplay'>> & {
    onCallEnd?: (result: CallResult) => void
    /** Called with the decisions of each call. Undefined if they are not logged. */
    onDecisions?: ((decisions: Decisions) => void) | undefined
    trace?: StartSpan | undefined
  }

/** Both transports over one pipeline. */
export type Application = {
  /** The operations that both transports serve. REST also serves the ones of SCIM. */
  operations: DeclaredOperation[]
  services: Services
  tokens: Services['tokens']
  /** Starts the gRPC server and returns its port. */
  listenGrpc(host: string, port: number): Promise<number>
  /** Starts the REST server and returns its port. */
  listenHttp(host: string, port: number): Promise<number>
  /**
   * Records when service keys were last used, and uses of keys that are no longer valid. Called
   * about once a minute.
   */
  writeKeyUses(): Promise<void>
  /** Replaces the certificates of the gRPC server for new connections. */
  setGrpcTls(tls: GrpcTls): void
  /** Sets the status that `grpc.health.v1` reports. */
  setServing(serving: boolean): void
  /** Accepts no more connections over either transport. */
  stopListening(): Promise<void>
  /**
   * Waits for running calls, then closes both transports. The database stays open. REST connections
   * are closed when they have been idle for `idleMilliseconds`, which defaults to 0.
   */
  drain(idleMilliseconds?: number): Promise<void>
  /** Ends the work in the background and waits for it. */
  stop(): Promise<void>
}

/** Milliseconds that running calls have to finish. */
const drainTimeout = 30_000

/** Composes the application. Tests use the same function. */
export function createApplication(dependencies: ApplicationDependencies): Application {
  const { database, rateLimiter, now, onFailure, warn, settings } = dependencies
  const { admissions = createAdmissions(), observers = {}, encryptionKeys } = dependencies
  const { BASE_URL: baseUrl, ADMIN_URL: adminUrl, DEBUG: debug } = settings
  const { onSignIn = () => {}, onReplay = () => {}, onFactsBatch, onCachedQuery } = observers
  const openStores = () => createStores(database.fork())
  const recordIp = settings.ACTIVITY_RECORD_IP
  const keyUses = createKeyUses(database, openStores, recordIp)
  const secretBox = createSecretBox(encryptionKeys)
  const services = createServices({
    database,
    openStores,
    settings,
    activityEvents,
    secretBox,
    currentKeys: dependencies.currentKeys,
    providers: dependencies.providers,
    ownMethods: signInMethods,
    sendMail: dependencies.sendMail,
    rateLimiter,
    connectionTimeout: dependencies.connectionTimeout,
    listBudgetsOf: dependencies.listBudgetsOf,
    now,
    collectUses: keyUses.collectUses,
    onSignIn,
    onReplay,
    onFactsBatch,
    onCachedQuery,
    logFailure: dependencies.logFailure,
    warn,
  })
  const handlers = createHandlers({ database, settings, now, secretBox, services })
  const isServed: IsServed = (service, key) => handlers[service]?.[key] !== undefined
  const registry = readRegistry(isServed)
  const allOperations = createOperations(registry, handlers)
  const operations = allOperations.filter(({ service }) => Object.hasOwn(grpcServices, service))
  const streams = createStreams(registry, handlers)
  const watches = createWatches(registry, handlers)
  const [authorization] = createForeignOperations(registry, handlers)
  const globalLimit = settings.RATE_LIMIT_ENABLED ? settings.RATE_LIMIT_PER_MINUTE : undefined
  const pipeline = createPipeline({
    rateLimiter,
    globalLimit,
    adminLimit: settings.RATE_LIMIT_ADMIN_PER_MINUTE,
    serviceLimit: settings.SERVICE_RATE_LIMIT_PER_MINUTE,
    userLimit: settings.USER_RATE_LIMIT_PER_MINUTE,
    credentialKinds: createCredentialKinds({
      statements: database.statements,
      memory: services.tokenMemory,
      tokens: services.tokens,
      resourceServices: services.resourceServices,
      findApiKey: services.findApiKey,
      noteDelegationUse: services.noteDelegationUse,
      keysRequired: settings.SERVICE_KEYS_REQUIRED,
      adminOrigins: [adminUrl, baseUrl].map((url) => new URL(url).origin),
      ...keyUses,
    }),
    ask: services.engine.ask,
    createStores: openStores,
    readPosition: services.readPosition,
    admissions,
    recordIp,
    now,
    onFailure,
    onEnd: observers.onCallEnd,
    onDecisions: observers.onDecisions,
    trace: observers.trace,
    warn,
  })

  const { MAX_UNFINISHED_MESSAGE_BYTES: maxUnfinishedBytes, TRUSTED_PROXIES: trustedProxies } =
    settings
  const grpc = createGrpcServer([...operations, ...streams, ...watches], grpcServices, pipeline, {
    tls: dependencies.grpcTls,
    keepalive: dependencies.grpcKeepalive,
    maxUnfinishedBytes,
    trustedProxies,
    registry,
    readReflected: debug ? () => readDocumentedRegistry(isServed) : undefined,
    externalAuthorization: authorization && {
      definition: externalAuthorizationService,
      operation: authorization,
    },
  })
  const rest = createRestServer(allOperations, registry, pipeline, {
    baseUrl,
    adminUrl,
    debug,
    globalLimit,
    trustedProxies,
    reasons,
    formats: restFormats,
    maxUnfinishedBytes,
    secureCookies: settings.COOKIE_SECURE,
    allowedHosts: settings.ALLOWED_HOSTS,
    corsOrigins: settings.CORS_ORIGINS,
    watches,
    pages: createPages(settings),
    isClientOrigin: services.isClientOrigin,
  })

  return {
    operations,
    services,
    tokens: services.tokens,
    listenGrpc: grpc.listen,
    listenHttp: rest.listen,
    writeKeyUses: keyUses.write,
    setGrpcTls: grpc.setTls,
    setServing: grpc.setServing,
    async stopListening() {
      await Promise.all([grpc.stopListening(), rest.stopListening()])
    },
    async drain(idleMilliseconds) {
      grpc.setServing(false)
      await Promise.all([grpc.drain(drainTimeout), rest.drain(drainTimeout, idleMilliseconds)])
    },
    stop: () => stopServices(services),
  }
}
