import { createLiveFeed } from '../activity/feed/live-feed.ts'
import { FeedStore } from '../activity/store/feed-store.ts'
import { createEndedKeyUses } from '../admin/ended-keys.ts'
import { createKeyUsage } from '../admin/key-usage.ts'
import { recordKeyUsageSql } from '../admin/store/service-app-store.ts'
import { createConnectionProviders } from '../connections/connection-providers.ts'
import { createFindDomainProof } from '../connections/domain-proof.ts'
import { checkDomains } from '../connections/domain-verification.ts'
import type { ServiceError } from '../core/errors.ts'
import type { HostPattern } from '../core/host-pattern.ts'
import { defaultQuotas, type Quotas } from '../core/quotas.ts'
import { createSecretBox } from '../core/secret-box.ts'
import { createSemaphore } from '../core/semaphore.ts'
import type { Database } from '../database/database.ts'
import { createGrpcServer, type GrpcTls, type Keepalive } from '../grpc/server.ts'
import { createRestServer } from '../http/server.ts'
import { createFindApiKey } from '../identity/api-keys.ts'
import { createBrowserCookies } from '../identity/browser-cookie.ts'
import type { IdentityDependencies } from '../identity/identity-dependencies.ts'
import type { Keys } from '../identity/keys.ts'
import { createFindManagementScopes } from '../identity/management-apps.ts'
import { createLogoutSender, type LogoutSender } from '../identity/oauth/logout-notifications.ts'
import { createClientOrigins } from '../identity/redirect-uris.ts'
import { createFindScimToken } from '../identity/scim-tokens.ts'
import { createStateCookies } from '../identity/state-cookie.ts'
import { recordApiKeyUsageSql } from '../identity/store/api-key-store.ts'
import { LogoutQueueStore } from '../identity/store/logout-queue-store.ts'
import { recordScimTokenUsageSql } from '../identity/store/scim-token-store.ts'
import { createTokenMemory } from '../identity/token-memory.ts'
import { createTokens, type Tokens } from '../identity/tokens.ts'
import type { SendMail } from '../outbound/mail-client.ts'
import { createOutboundClient } from '../outbound/outbound-client.ts'
import { createOutboundHosts } from '../outbound/outbound-hosts.ts'
import {
  createEngine,
  defaultFactsCacheBytes,
  type EngineOptions,
} from '../permissions/engine/engine.ts'
import { recordLinkUsageSql } from '../permissions/store/link-store.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { type Admissions, createAdmissions } from '../rpc/admit.ts'
import type { Call } from '../rpc/call.ts'
import { createCredentialsVerifier } from '../rpc/credentials.ts'
import type { Decisions } from '../rpc/decisions.ts'
import { readRegistry } from '../rpc/descriptors.ts'
import {
  createForeignOperations,
  createOperations,
  createStreams,
  createWatches,
  type DeclaredOperation,
} from '../rpc/operation.ts'
import { type CallResult, createPipeline, type StartSpan } from '../rpc/pipeline.ts'
import { openWebhookJobs } from '../webhooks/store/job-queue.ts'
import { createWebhookSender, type WebhookSender } from '../webhooks/webhook-sender.ts'
import { createInvitationSender } from '../workspaces/invitation-sender.ts'
import { externalAuthorizationService, grpcServices } from './grpc-services.ts'
import { createHandlers } from './handlers.ts'
import { reasons } from './reasons.ts'
import { createStores } from './stores.ts'

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
  /** Called when sending logout tokens fails for a reason other than the client app. */
  onJobFailure: (error: unknown) => void
  /** Called when reading new entries for open watches fails; they continue with the next attempt. */
  onFeedFailure?: (error: unknown) => void
  /** Sends e-mails; undefined if no mail server is configured. */
  sendMail?: SendMail | undefined
  /** Called when an e-mail could not be sent. Invitations are sent again later. */
  onMailFailure?: (error: unknown) => void
  /** Called when sending webhooks fails other than by their responses. */
  onWebhookFailure?: (error: unknown) => void
  /** Logs a warning for the operator. */
  warn: (text: string) => void
  admissions?: Admissions
  observers?: Observers
  options: ApplicationOptions
}

/** Callbacks for logs, metrics and traces. */
export type Observers = Pick<EngineOptions, 'onFactsBatch' | 'onCachedQuery'> & {
  onCallEnd?: (result: CallResult) => void
  onSignIn?: IdentityDependencies['onSignIn']
  onReplay?: IdentityDependencies['onReplay']
  /** Called with the decisions of each call. Undefined if they are not logged. */
  onDecisions?: ((decisions: Decisions) => void) | undefined
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
  /** REST calls per minute of a service key, 0 for no limit; undefined to apply `globalLimit`. */
  serviceLimit?: number | undefined
  /** REST calls per minute of a user; undefined to apply `globalLimit`. */
  userLimit?: number | undefined
  /** The number of proxies in front of the server that are trusted for X-Forwarded-For. */
  trustedProxies: number
  /** Allowed Host headers; `*` allows any. If empty, the hosts of `baseUrl` and `adminUrl`. */
  allowedHosts: string[]
  /** Whether the activity log records the addresses of clients; defaults to true. */
  recordIp?: boolean
  /** The origins that CORS allows, in addition to the origins of client apps. */
  corsOrigins: string[]
  /** The hosts on private networks that may receive logout tokens. */
  backchannelAllowedHosts?: HostPattern[]
  /** The hosts on private networks that may receive webhooks. */
  webhookAllowedHosts?: HostPattern[]
  /** The hosts on private networks that may be the identity providers of connections. */
  connectionAllowedHosts?: HostPattern[]
  /** The DNS servers that are asked for connections; those of the system by default. */
  dnsServers?: string[]
  /** Milliseconds that the identity provider of a connection has for one step of a sign-in; defaults to 10,000. */
  connectionTimeout?: number
  /** The keys that encrypt secrets in the database, the one that encrypts first. */
  encryptionKeys?: Buffer[]
  /** The certificates for gRPC over TLS; plaintext if undefined. */
  grpcTls?: GrpcTls | undefined
  /** The maximum size of incomplete messages, in bytes per transport; defaults to 64 MiB. */
  maxUnfinishedBytes?: number
  /** The maximum size of the cache of verified tokens, in bytes; defaults to 32 MiB. */
  maxTokenCacheBytes?: number
  /**
   * The maximum size of the cache for checks and lists, in bytes; defaults to 64 MiB. 0 disables it.
   */
  maxFactsCacheBytes?: number
  listBudgetsOf?: EngineOptions['listBudgetsOf']
  /** The quotas that differ from the defaults. */
  quotas?: Partial<Quotas>
  /** Overrides when silent gRPC clients are disconnected. */
  grpcKeepalive?: Keepalive
}

/** Both transports over one pipeline. */
export type Application = {
  /** The operations that both transports serve. REST also serves the ones of SCIM. */
  operations: DeclaredOperation[]
  tokens: Tokens
  /** Starts the gRPC server and returns its port. */
  listenGrpc(host: string, port: number): Promise<number>
  /** Starts the REST server and returns its port. */
  listenHttp(host: string, port: number): Promise<number>
  logoutSender: LogoutSender
  webhookSender: WebhookSender
  /**
   * E-mails the invitations that are due. Returns whether more may be due. Called every second.
   */
  sendInvitations(): Promise<boolean>
  /** Checks the verified domains that are due. Returns their number. */
  checkDomains(): Promise<number>
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
}

/** The maximum number of sign-ins in a transaction at the same time. */
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
  onJobFailure,
  onFeedFailure = () => {},
  sendMail,
  onMailFailure = () => {},
  onWebhookFailure = () => {},
  warn,
  admissions = createAdmissions(),
  observers = {},
  options,
}: ApplicationDependencies): Application {
  const registry = readRegistry()
  const tokens = createTokens({
    currentKeys,
    issuer: options.baseUrl,
    now,
    // ID tokens live as long as the access tokens that they are issued with.
    hintSeconds: options.lifetimes.access,
    debug: options.debug,
  })
  const tokenMemory = createTokenMemory(tokens, options.maxTokenCacheBytes ?? 32 * 1024 * 1024)
  const { keysRequired, maxFactsCacheBytes = defaultFactsCacheBytes } = options
  const { onFactsBatch, onCachedQuery } = observers
  const { listBudgetsOf } = options
  const engineOptions = {
    keysRequired,
    maxFactsCacheBytes,
    listBudgetsOf,
    onFactsBatch,
    onCachedQuery,
  }
  const engine = createEngine(database, engineOptions)
  const backchannelHosts = createOutboundHosts({
    allowed: options.backchannelAllowedHosts ?? [],
    debug: options.debug,
  })
  const webhookHosts = createOutboundHosts({
    allowed: options.webhookAllowedHosts ?? [],
    debug: options.debug,
  })
  const secretBox = createSecretBox(options.encryptionKeys ?? [])
  const connectionHosts = createOutboundHosts({
    allowed: options.connectionAllowedHosts ?? [],
    debug: options.debug,
  })
  const { dnsServers = [] } = options
  const connectionClient = createOutboundClient(
    connectionHosts,
    dnsServers.length > 0 ? { dnsServers } : {},
  )
  const connectionProviders = createConnectionProviders(
    connectionHosts,
    connectionClient,
    secretBox,
    options.connectionTimeout,
  )
  const findDomainProof = createFindDomainProof(dnsServers)
  const webhookSender = createWebhookSender({
    openStores: () => createStores(database.fork()),
    jobs: openWebhookJobs(database.execute, onWebhookFailure),
    secretBox,
    send: createOutboundClient(webhookHosts, { keepsConnections: true }),
    now,
    random: Math.random,
    onFailure: onWebhookFailure,
    warn,
  })
  const findApiKey = createFindApiKey(database.reads)
  const findScimToken = createFindScimToken(database.statements)
  const linkUsage = createKeyUsage('link usage', recordLinkUsageSql)
  const feed = createLiveFeed(() => new FeedStore(database.fork()), onFeedFailure)
  const handlers = createHandlers({
    tokenMemory,
    findApiKey,
    database,
    feed,
    engine,
    onLinkUsed: (id) => linkUsage.note(id, now()),
    currentKeys,
    tokens,
    stateCookies: createStateCookies(options.sessionSecret, now),
    browserCookies: createBrowserCookies(options.sessionSecret, now),
    providers,
    clock: now,
    limitTransactions: createSemaphore(maxSignInTransactions),
    options,
    quotas: { ...defaultQuotas, ...options.quotas },
    invitations: { baseUrl: options.baseUrl, areMailed: sendMail !== undefined },
    backchannelHosts,
    webhookHosts,
    connectionProviders,
    findDomainProof,
    secretBox,
    wakeWebhook: webhookSender.wake,
    sendMail: (mail) => void sendMail?.(mail).catch(onMailFailure),
    onSignIn: observers.onSignIn ?? (() => {}),
    onReplay: observers.onReplay ?? (() => {}),
  })
  const allOperations = createOperations(registry, handlers)
  const operations = allOperations.filter(({ service }) => Object.hasOwn(grpcServices, service))
  const streams = createStreams(registry, handlers)
  const watches = createWatches(registry, handlers)
  const [externalAuthorization] = createForeignOperations(registry, handlers)
  if (!externalAuthorization) throw new Error("proto/ lacks Envoy's external authorization")
  const logoutSender = createLogoutSender({
    openQueue: () => new LogoutQueueStore(database.fork()),
    tokens,
    hosts: backchannelHosts,
    send: createOutboundClient(backchannelHosts),
    now,
    onFailure: onJobFailure,
    warn,
  })
  const keyUsage = createKeyUsage('key usage', recordKeyUsageSql)
  const apiKeyUsage = createKeyUsage('API key usage', recordApiKeyUsageSql)
  const scimTokenUsage = createKeyUsage('SCIM token usage', recordScimTokenUsageSql)
  const endedKeyUses = createEndedKeyUses()
  const { recordIp = true } = options
  const pipeline = createPipeline({
    rateLimiter,
    globalLimit: options.globalLimit,
    adminLimit: options.adminLimit,
    serviceLimit: options.serviceLimit,
    userLimit: options.userLimit,
    verifyCredentials: createCredentialsVerifier(tokenMemory, findApiKey, findScimToken),
    ask: engine.ask,
    findManagementScopes: createFindManagementScopes(database.statements),
    keysRequired,
    onServiceKeyUsed: keyUsage.note,
    onApiKeyUsed: apiKeyUsage.note,
    onScimTokenUsed: scimTokenUsage.note,
    onServiceKeyRejected: (keyHash, { requestId, ip }) =>
      endedKeyUses.note(keyHash, { requestId, ip: recordIp ? ip : undefined, keyHash }),
    adminOrigins: [options.adminUrl, options.baseUrl].map((url) => new URL(url).origin),
    createStores: () => createStores(database.fork()),
    admissions,
    recordIp,
    now,
    onFailure,
    onEnd: observers.onCallEnd,
    onDecisions: observers.onDecisions,
    trace: observers.trace,
    warn,
  })

  const { maxUnfinishedBytes = 64 * 1024 * 1024 } = options
  const grpc = createGrpcServer([...operations, ...streams, ...watches], grpcServices, pipeline, {
    tls: options.grpcTls,
    keepalive: options.grpcKeepalive,
    maxUnfinishedBytes,
    trustedProxies: options.trustedProxies,
    registry,
    reflection: options.debug,
    externalAuthorization: {
      definition: externalAuthorizationService,
      operation: externalAuthorization,
    },
  })
  const rest = createRestServer(allOperations, registry, pipeline, {
    ...options,
    watches,
    reasons,
    maxUnfinishedBytes,
    isClientOrigin: createClientOrigins(database.statements),
  })

  return {
    operations,
    tokens,
    listenGrpc: grpc.listen,
    listenHttp: rest.listen,
    checkDomains: () => checkDomains(createStores(database.fork()), findDomainProof, now(), warn),
    async writeKeyUses() {
      await keyUsage.write(database.statements)
      await apiKeyUsage.write(database.statements)
      await scimTokenUsage.write(database.statements)
      await linkUsage.write(database.statements)
      await endedKeyUses.record(createStores(database.fork()))
    },
    logoutSender,
    sendInvitations: sendMail
      ? createInvitationSender({
          openStores: () => createStores(database.fork()),
          send: sendMail,
          baseUrl: options.baseUrl,
          now,
          onFailure: onMailFailure,
        })
      : async () => false,
    webhookSender,
    setGrpcTls: grpc.setTls,
    setServing: grpc.setServing,
    async stopListening() {
      await Promise.all([grpc.stopListening(), rest.stopListening()])
    },
    async drain(idleMilliseconds) {
      grpc.setServing(false)
      await Promise.all([grpc.drain(drainTimeout), rest.drain(drainTimeout, idleMilliseconds)])
    },
  }
}
