import { createEndedKeyUses } from '../admin/ended-keys.ts'
import { createKeyUsage } from '../admin/key-usage.ts'
import type { ServiceError } from '../core/errors.ts'
import { defaultQuotas, type Quotas } from '../core/quotas.ts'
import { createSemaphore } from '../core/semaphore.ts'
import type { Database } from '../database/database.ts'
import { createGrpcServer, type GrpcTls, type Keepalive } from '../grpc/server.ts'
import { createRestServer } from '../http/server.ts'
import type { IdentityDependencies } from '../identity/identity-dependencies.ts'
import type { Keys } from '../identity/keys.ts'
import { maxNotifications, sendLogoutTokens } from '../identity/oauth/logout-notifications.ts'
import { createClientOrigins } from '../identity/redirect-uris.ts'
import { createStateCookies } from '../identity/state-cookie.ts'
import { createTokens, type Tokens } from '../identity/tokens.ts'
import { createLoadKeyedEvaluations } from '../permissions/evaluate/load-evaluations.ts'
import { createLoadSubjectFacts } from '../permissions/evaluate/load-subject-facts.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { type Admissions, createAdmissions } from '../rpc/admit.ts'
import type { Call } from '../rpc/call.ts'
import { createCredentialsVerifier } from '../rpc/credentials.ts'
import { readRegistry } from '../rpc/descriptors.ts'
import { createOperations, createStreams, type DeclaredOperation } from '../rpc/operation.ts'
import { type CallResult, createPipeline, type StartSpan } from '../rpc/pipeline.ts'
import { grpcServices } from './grpc-services.ts'
import { createHandlers } from './handlers.ts'
import { createLoaders, type LoaderObservers } from './loaders.ts'

/** The dependencies of the application. */
export type ApplicationDependencies = {
  database: Database
  /** Returns the current keys, which may be replaced while the server runs. */
  currentKeys: () => Keys
  providers: IdentityDependencies['providers']
  rateLimiter: RateLimiter
  now: () => Date
  /** Called for every `internal` and `unavailable` error, unless the call was cancelled. */
  onFailure: (error: ServiceError, call: Call) => void
  /** Logs a warning for the operator. */
  warn: (text: string) => void
  admissions?: Admissions
  observers?: Observers
  options: ApplicationOptions
}

/** Callbacks for logs, metrics and traces. */
export type Observers = LoaderObservers & {
  onCallEnd?: (result: CallResult) => void
  onSignIn?: IdentityDependencies['onSignIn']
  onReplay?: IdentityDependencies['onReplay']
  trace?: StartSpan | undefined
}

export type ApplicationOptions = IdentityDependencies['options'] & {
  /** The secret that encrypts the state cookies of sign-ins. */
  sessionSecret: string
  /** Whether cookies are sent over https only. */
  secureCookies: boolean
  /** Requests per minute and client over all REST routes; undefined to turn every limit off. */
  globalLimit: number | undefined
  /** Requests per minute of an administrator to admin routes; undefined to apply `globalLimit`. */
  adminLimit?: number | undefined
  /** The number of proxies in front of the server that are trusted for X-Forwarded-For. */
  trustedProxies: number
  /** Allowed Host headers; `*` allows any. If empty, the hosts of `baseUrl` and `adminUrl`. */
  allowedHosts: string[]
  /** Whether the activity log records the addresses of clients; defaults to true. */
  recordIp?: boolean
  /** The origins that CORS allows, in addition to those of client apps. */
  corsOrigins: string[]
  /** The certificates for gRPC over TLS; plaintext if undefined. */
  grpcTls?: GrpcTls | undefined
  /** The maximum size of incomplete messages, in bytes per transport; defaults to 64 MiB. */
  maxUnfinishedBytes?: number
  /** The maximum size of the cache of verified tokens, in bytes; defaults to 32 MiB. */
  maxTokenCacheBytes?: number
  /** The maximum size of the cache of facts and lists, in bytes; by default, there is no cache. */
  maxFactsCacheBytes?: number
  /** The quotas that differ from the defaults. */
  quotas?: Partial<Quotas>
  /** Overrides when silent gRPC clients are disconnected. */
  grpcKeepalive?: Keepalive
}

/** Both transports over one pipeline. */
export type Application = {
  operations: DeclaredOperation[]
  tokens: Tokens
  /** Starts the gRPC server and returns its port. */
  listenGrpc(host: string, port: number): Promise<number>
  /** Starts the REST server and returns its port. */
  listenHttp(host: string, port: number): Promise<number>
  /** Sends logout tokens to client apps; returns whether more may be due. Called every second. */
  sendLogoutTokens(): Promise<boolean>
  /**
   * Records when service keys were last used, and uses of keys that are no longer valid. Called
   * about once a minute.
   */
  writeKeyUses(): Promise<void>
  /** Replaces the certificates of the gRPC server for new connections. */
  setGrpcTls(tls: GrpcTls): void
  /** Sets the status that `grpc.health.v1` reports. */
  setServing(serving: boolean): void
  /** Waits for running calls, then closes both transports. The database stays open. */
  drain(): Promise<void>
}

/** The maximum number of sign-ins that have a transaction at once. */
const maxSignInTransactions = 5

/** Milliseconds that running calls have to finish. */
const drainTimeout = 30_000

/** Composes the application. Tests use the same function. */
export function createApplication({
  database,
  currentKeys,
  providers,
  rateLimiter,
  now,
  onFailure,
  warn,
  admissions = createAdmissions(),
  observers = {},
  options,
}: ApplicationDependencies): Application {
  const registry = readRegistry()
  const tokens = createTokens({ currentKeys, issuer: options.baseUrl, now })
  const { loadFacts, loadAccessible } = createLoaders(database, observers, options)
  const handlers = createHandlers({
    database,
    loadAccessible,
    currentKeys,
    tokens,
    stateCookies: createStateCookies(options.sessionSecret, now),
    providers,
    clock: now,
    limitTransactions: createSemaphore(maxSignInTransactions),
    options,
    quotas: { ...defaultQuotas, ...options.quotas },
    onSignIn: observers.onSignIn ?? (() => {}),
    onReplay: observers.onReplay ?? (() => {}),
  })
  const operations = createOperations(registry, handlers)
  const streams = createStreams(registry, handlers)
  const keyUsage = createKeyUsage()
  const endedKeyUses = createEndedKeyUses()
  const { recordIp = true } = options
  const pipeline = createPipeline({
    rateLimiter,
    globalLimit: options.globalLimit,
    adminLimit: options.adminLimit,
    verifyCredentials: createCredentialsVerifier(
      tokens,
      options.maxTokenCacheBytes ?? 32 * 1024 * 1024,
    ),
    loadFacts,
    loadSubjectFacts: createLoadSubjectFacts(
      createLoadKeyedEvaluations(database.reads),
      options.keysRequired,
    ),
    keysRequired: options.keysRequired,
    onServiceKeyUsed: keyUsage.note,
    onServiceKeyRejected: (keyHash, { requestId, ip }) =>
      endedKeyUses.note(keyHash, { requestId, ip: recordIp ? ip : undefined, keyHash }),
    adminOrigins: [options.adminUrl, options.baseUrl].map((url) => new URL(url).origin),
    forkEntityManager: database.fork,
    admissions,
    recordIp,
    now,
    onFailure,
    onEnd: observers.onCallEnd,
    trace: observers.trace,
    warn,
  })

  const { maxUnfinishedBytes = 64 * 1024 * 1024 } = options
  const grpc = createGrpcServer([...operations, ...streams], grpcServices, pipeline, {
    tls: options.grpcTls,
    keepalive: options.grpcKeepalive,
    maxUnfinishedBytes,
    reflection: options.debug ? registry : undefined,
  })
  const rest = createRestServer(operations, registry, pipeline, {
    ...options,
    maxUnfinishedBytes,
    isClientOrigin: createClientOrigins(database.statements),
  })

  return {
    operations,
    tokens,
    listenGrpc: grpc.listen,
    listenHttp: rest.listen,
    async writeKeyUses() {
      await keyUsage.write(database.statements)
      await endedKeyUses.record(database.fork())
    },
    sendLogoutTokens: async () =>
      (await sendLogoutTokens(database.fork(), tokens, now())) === maxNotifications,
    setGrpcTls: grpc.setTls,
    setServing: grpc.setServing,
    async drain() {
      grpc.setServing(false)
      await Promise.all([grpc.drain(drainTimeout), rest.drain(drainTimeout)])
    },
  }
}
