import { createLiveFeed } from '../activity/feed/live-feed.ts'
import { FeedStore } from '../activity/store/feed-store.ts'
import { createEndedKeyUses } from '../admin/ended-keys.ts'
import { createKeyUsage } from '../admin/key-usage.ts'
import { recordKeyUsageSql } from '../admin/store/service-app-store.ts'
import { createConnectionServices } from '../connections/connection-services.ts'
import { checkDomains } from '../connections/domain-verification.ts'
import type { ServiceError } from '../core/errors.ts'
import { createSecretBox } from '../core/secret-box.ts'
import { createSemaphore } from '../core/semaphore.ts'
import type { Database } from '../database/database.ts'
import { createGrpcServer, type GrpcTls, type Keepalive } from '../grpc/server.ts'
import { createRestServer } from '../http/server.ts'
import { createFindApiKey } from '../identity/api-keys.ts'
import { createBackchannelHosts } from '../identity/backchannel-hosts.ts'
import { createBrowserCookies } from '../identity/browser-cookie.ts'
import type { IdentityDependencies } from '../identity/identity-dependencies.ts'
import type { Keys } from '../identity/keys.ts'
import { lifetimesOf } from '../identity/lifetimes.ts'
import { createLogoutSender, type LogoutSender } from '../identity/oauth/logout-notifications.ts'
import { createClientOrigins } from '../identity/redirect-uris.ts'
import { createStateCookies } from '../identity/state-cookie.ts'
import { recordApiKeyUsageSql } from '../identity/store/api-key-store.ts'
import { LogoutQueueStore } from '../identity/store/logout-queue-store.ts'
import { createTokenMemory } from '../identity/token-memory.ts'
import { createTokens, type Tokens } from '../identity/tokens.ts'
import type { SendMail } from '../outbound/mail-client.ts'
import { createOutboundClient } from '../outbound/outbound-client.ts'
import { createEngine, type EngineOptions } from '../permissions/engine/engine.ts'
import { recordLinkUsageSql } from '../permissions/store/link-store.ts'
import type { RateLimiter } from '../rate-limit/rate-limiter.ts'
import { type Admissions, createAdmissions } from '../rpc/admit.ts'
import type { Call } from '../rpc/call.ts'
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
import { recordScimTokenUsageSql } from '../scim/store/scim-token-store.ts'
import { openWebhookJobs } from '../webhooks/store/job-queue.ts'
import { createWebhookHosts } from '../webhooks/webhook-hosts.ts'
import { createWebhookSender, type WebhookSender } from '../webhooks/webhook-sender.ts'
import { createInvitationSender } from '../workspaces/invitation-sender.ts'
import type { Config } from './config.ts'
import { createCredentialKinds } from './credential-kinds.ts'
import { activityEvents } from './features.ts'
import { externalAuthorizationService, grpcServices } from './grpc-services.ts'
import { createHandlers } from './handlers.ts'
import { reasons } from './reasons.ts'
import { restFormats } from './rest-formats.ts'
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
  settings: Config
  /** The keys that encrypt secrets in the database, the one that encrypts first. */
  encryptionKeys: Buffer[]
  /** The certificates for gRPC over TLS; plaintext if undefined. */
  grpcTls?: GrpcTls | undefined
  /** Overrides when silent gRPC clients are disconnected. */
  grpcKeepalive?: Keepalive
  /** Milliseconds that the identity provider of a connection has for one step of a sign-in; defaults to 10,000. */
  connectionTimeout?: number
  listBudgetsOf?: EngineOptions['listBudgetsOf']
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
  settings,
  encryptionKeys,
  grpcTls,
  grpcKeepalive,
  connectionTimeout,
  listBudgetsOf,
}: ApplicationDependencies): Application {
  const registry = readRegistry()
  const { BASE_URL: baseUrl, ADMIN_URL: adminUrl, DEBUG: debug } = settings
  const keysRequired = settings.SERVICE_KEYS_REQUIRED
  const tokens = createTokens({
    currentKeys,
    issuer: baseUrl,
    now,
    // ID tokens live as long as the access tokens that they are issued with.
    hintSeconds: lifetimesOf(settings).access,
    debug,
  })
  const tokenMemory = createTokenMemory(tokens, settings.MAX_TOKEN_CACHE_BYTES)
  const { onFactsBatch, onCachedQuery } = observers
  const engine = createEngine(database, {
    keysRequired,
    maxFactsCacheBytes: settings.MAX_FACTS_CACHE_BYTES,
    listBudgetsOf,
    onFactsBatch,
    onCachedQuery,
  })
  const backchannelHosts = createBackchannelHosts(settings)
  const webhookHosts = createWebhookHosts(settings)
  const secretBox = createSecretBox(encryptionKeys)
  const connections = createConnectionServices(settings, secretBox, connectionTimeout)
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
  const linkUsage = createKeyUsage('link usage', recordLinkUsageSql)
  const feed = createLiveFeed(activityEvents, () => new FeedStore(database.fork()), onFeedFailure)
  const handlers = createHandlers({
    tokenMemory,
    findApiKey,
    database,
    feed,
    engine,
    onLinkUsed: (id) => linkUsage.record(id, now()),
    currentKeys,
    tokens,
    stateCookies: createStateCookies(settings.SESSION_SECRET_KEY, now),
    browserCookies: createBrowserCookies(settings.SESSION_SECRET_KEY, now),
    providers,
    clock: now,
    limitTransactions: createSemaphore(maxSignInTransactions),
    settings,
    invitations: { baseUrl, areMailed: sendMail !== undefined },
    backchannelHosts,
    webhookHosts,
    ...connections,
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
  const recordIp = settings.ACTIVITY_RECORD_IP
  const globalLimit = settings.RATE_LIMIT_ENABLED ? settings.RATE_LIMIT_PER_MINUTE : undefined
  const pipeline = createPipeline({
    rateLimiter,
    globalLimit,
    adminLimit: settings.RATE_LIMIT_ADMIN_PER_MINUTE,
    serviceLimit: settings.SERVICE_RATE_LIMIT_PER_MINUTE,
    userLimit: settings.USER_RATE_LIMIT_PER_MINUTE,
    credentialKinds: createCredentialKinds({
      statements: database.statements,
      memory: tokenMemory,
      findApiKey,
      keysRequired,
      adminOrigins: [adminUrl, baseUrl].map((url) => new URL(url).origin),
      onServiceKeyUsed: keyUsage.record,
      onServiceKeyRejected: (keyHash, { requestId, ip }) =>
        endedKeyUses.record(keyHash, { requestId, ip: recordIp ? ip : undefined, keyHash }),
      onApiKeyUsed: apiKeyUsage.record,
      onScimTokenUsed: scimTokenUsage.record,
    }),
    ask: engine.ask,
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

  const { MAX_UNFINISHED_MESSAGE_BYTES: maxUnfinishedBytes, TRUSTED_PROXIES: trustedProxies } =
    settings
  const grpc = createGrpcServer([...operations, ...streams, ...watches], grpcServices, pipeline, {
    tls: grpcTls,
    keepalive: grpcKeepalive,
    maxUnfinishedBytes,
    trustedProxies,
    registry,
    reflection: debug,
    externalAuthorization: {
      definition: externalAuthorizationService,
      operation: externalAuthorization,
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
    isClientOrigin: createClientOrigins(database.statements),
  })

  return {
    operations,
    tokens,
    listenGrpc: grpc.listen,
    listenHttp: rest.listen,
    checkDomains: () =>
      checkDomains(createStores(database.fork()), connections.findDomainProof, now(), warn),
    async writeKeyUses() {
      await keyUsage.write(database.statements)
      await apiKeyUsage.write(database.statements)
      await scimTokenUsage.write(database.statements)
      await linkUsage.write(database.statements)
      await endedKeyUses.write(createStores(database.fork()))
    },
    logoutSender,
    sendInvitations: sendMail
      ? createInvitationSender({
          openStores: () => createStores(database.fork()),
          send: sendMail,
          baseUrl,
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
