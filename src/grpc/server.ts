import { setMaxListeners } from 'node:events'
import type { Http2Server } from 'node:http2'
import { createSecureContext, type SecureContextOptions } from 'node:tls'
import type { FileRegistry } from '@bufbuild/protobuf'
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type UntypedHandleCall,
} from '@grpc/grpc-js'
import type {
  DeclaredOperation,
  Operation,
  StreamOperation,
  WatchOperation,
} from '../rpc/operation.ts'
import type { Pipeline } from '../rpc/pipeline.ts'
import { createRunWatch, type RunWatch } from '../rpc/run-watch.ts'
import { createShutdownAnnouncer, type ShutdownAnnouncer } from './announce-shutdown.ts'
import { closeStrangers } from './close-strangers.ts'
import { maxPublicMessageBytes, messageLimit, messageTooLarge, withCodecs } from './codecs.ts'
import {
  addExternalAuthorization,
  type ExternalAuthorization,
  maxAuthorizationBytes,
} from './external-authorization.ts'
import { guardStreams } from './guard-streams.ts'
import { addHealth } from './health.ts'
import { completeCall, createReadCall, type ReadCall, responseMetadata } from './incoming.ts'
import { type ReceivedMessage, withMessage } from './received-message.ts'
import { addReflection, reflectionPrefix } from './reflection.ts'
import { toGrpcStatus, toTrailersOnly } from './status.ts'
import { createBidiHandler, createPageStreamHandler } from './streams.ts'
import { limitUnfinishedMessages } from './unfinished-messages.ts'
import { createWatchHandler } from './watch-stream.ts'

/** The timing of pings that detect unresponsive clients, whose connections are closed. */
export type Keepalive = {
  /** Milliseconds between pings. */
  interval: number
  /** Milliseconds that a client has to acknowledge a ping. */
  timeout: number
}

/** Certificates in PEM. */
export type GrpcTls = {
  certificate: Buffer
  key: Buffer
  /** If set, clients must present certificates that this CA has signed. */
  clientCa: Buffer | undefined
}

export type GrpcServerOptions = {
  /** Plaintext when undefined. */
  tls: GrpcTls | undefined
  /** Connections have no maximum age, which would end long streams. */
  keepalive?: Keepalive | undefined
  /** The maximum number of bytes of messages that have not arrived completely. */
  maxUnfinishedBytes: number
  /** The number of reverse proxies whose entries in X-Forwarded-For are trusted. */
  trustedProxies: number
  /** The descriptors of the services. */
  registry: FileRegistry
  /** Reads what server reflection serves; undefined if there is none. */
  readReflected: (() => FileRegistry) | undefined
  /** Envoy's external authorization; undefined if it is not served. */
  externalAuthorization: ExternalAuthorization | undefined
}

export type GrpcServer = {
  /**
   * Replaces the certificates for new connections. Throws and changes nothing if they are invalid.
   */
  setTls(tls: GrpcTls): void
  /** Starts listening and returns the port. */
  listen(host: string, port: number): Promise<number>
  /** Sets the status that `grpc.health.v1` reports. */
  setServing(serving: boolean): void
  /** Accepts no more connections. */
  stopListening(): Promise<void>
  /** Accepts no more calls and waits for running ones, for at most `milliseconds`. */
  drain(milliseconds: number): Promise<void>
}

const defaultKeepalive: Keepalive = { interval: 60_000, timeout: 20_000 }

/**
 * The maximum number of concurrent calls of one connection; clients hold back further calls. A
 * backend sends the calls of all its users over one connection, so the maximum exceeds the number
 * of calls that one workspace may have waiting in one capacity class (rpc/admit.ts).
 */
const maxConcurrentStreams = 1000

/** Serves the operations over gRPC, with health checks and, optionally, reflection. */
export function createGrpcServer(
  operations: (DeclaredOperation | StreamOperation | WatchOperation)[],
  services: Record<string, ServiceDefinition>,
  pipeline: Pipeline,
  {
    tls,
    keepalive = defaultKeepalive,
    maxUnfinishedBytes,
    trustedProxies,
    registry,
    readReflected,
    externalAuthorization,
  }: GrpcServerOptions,
): GrpcServer {
  const server = new Server({
    'grpc.max_receive_message_length': Math.max(...operations.map(messageLimit)),
    'grpc.max_concurrent_streams': maxConcurrentStreams,
    'grpc.keepalive_time_ms': keepalive.interval,
    'grpc.keepalive_timeout_ms': keepalive.timeout,
    // Channelz counters cost time in every call and are not exposed.
    'grpc.enable_channelz': 0,
  })
  const draining = new AbortController()
  setMaxListeners(0, draining.signal)
  const runWatch = createRunWatch(pipeline, draining.signal)
  const readCall = createReadCall(trustedProxies)

  const served = Object.keys(services).filter((name) =>
    operations.some(({ service }) => service === name),
  )
  for (const name of served) {
    const own = operations.filter(({ service }) => service === name)
    const handlers = own.map((operation) => [
      operation.key,
      createHandler(operation, { pipeline, draining: draining.signal, runWatch, readCall }),
    ])
    const definition = services[name] as ServiceDefinition
    server.addService(withCodecs(definition, own, registry), Object.fromEntries(handlers))
  }
  if (externalAuthorization)
    addExternalAuthorization(server, externalAuthorization, registry, pipeline, readCall)
  const isServed = (name: string) =>
    !name.startsWith('daikon.v1.') || served.includes(name.slice('daikon.v1.'.length))
  if (readReflected) addReflection(server, readReflected, isServed, draining.signal)
  const health = addHealth(
    server,
    served.map((name) => `daikon.v1.${name}`),
  )

  const limits = new Map(
    operations.map((operation) => [`/${operation.name}`, messageLimit(operation)]),
  )
  if (externalAuthorization)
    limits.set(`/${externalAuthorization.operation.name}`, maxAuthorizationBytes)
  const limitOf = (path: string) => limits.get(path) ?? maxPublicMessageBytes
  const streaming = new Set(
    operations
      .filter((operation) => 'kind' in operation && operation.kind === 'bidi_streaming')
      .map(({ name }) => `/${name}`),
  )
  const unfinishedMessages = {
    maxBytes: maxUnfinishedBytes,
    isStreaming: (path: string) => streaming.has(path) || path.startsWith(reflectionPrefix),
    maxMessageBytes: limitOf,
    tooLargeHeaders: (path: string) => toTrailersOnly(messageTooLarge(limitOf(path))),
  }

  const announcers: ShutdownAnnouncer[] = []
  const tlsCredentials = tls && new TlsCredentials(tls)

  return {
    setServing: health.setServing,
    setTls: (tls) => tlsCredentials?.update(tls),
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        const credentials = tlsCredentials ?? ServerCredentials.createInsecure()
        server.bindAsync(`${host}:${port}`, credentials, (error, boundPort) => {
          if (error) return reject(error)
          for (const http2Server of listHttp2Servers(server)) {
            limitUnfinishedMessages(http2Server, unfinishedMessages)
            guardStreams(http2Server)
            closeStrangers(http2Server)
            announcers.push(createShutdownAnnouncer(http2Server))
          }
          resolve(boundPort)
        })
      }),
    async stopListening() {
      await Promise.all(announcers.map(({ stopListening }) => stopListening()))
    },
    async drain(milliseconds) {
      const forced = Promise.withResolvers<void>()
      const timeout = setTimeout(() => {
        server.forceShutdown()
        // grpc-js does not always call back after a forced shutdown.
        forced.resolve()
      }, milliseconds)
      await Promise.race([shutDown(), forced.promise])
      clearTimeout(timeout)

      async function shutDown(): Promise<void> {
        await Promise.all(announcers.map(({ announce }) => announce()))
        draining.abort()
        health.endWatches()
        // A closing HTTP/2 session rejects pings. grpc-js 1.14 would treat this as a dead client
        // and cancel running calls, and has no public API to stop the pings.
        Object.assign(server, { keepaliveTimeMs: 0 })
        await new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
      }
    },
  }
}

/**
 * Returns the HTTP/2 servers that grpc-js listens with. grpc-js has no public API for this. Its
 * interceptors run after it has parsed the metadata of a call, and `createConnectionInjector` takes
 * sockets, not HTTP/2 sessions.
 */
function listHttp2Servers(server: Server): Http2Server[] {
  const { http2Servers } = server as unknown as { http2Servers?: Map<Http2Server, unknown> }
  if (!http2Servers?.size) throw new Error('This version of grpc-js has no http2Servers')
  return [...http2Servers.keys()]
}

/** Credentials whose certificates can be replaced, unlike with `ServerCredentials.createSsl`. */
class TlsCredentials extends ServerCredentials {
  constructor(tls: GrpcTls) {
    super({ requestCert: tls.clientCa !== undefined }, toSecureContext(tls))
  }

  update(tls: GrpcTls): void {
    const options = toSecureContext(tls)
    // Validates the options: grpc-js would accept invalid ones and then reject every connection.
    createSecureContext(options)
    this.updateSecureContextOptions(options)
  }

  override _equals(other: ServerCredentials): boolean {
    return this === other
  }
}

function toSecureContext({ certificate, key, clientCa }: GrpcTls): SecureContextOptions {
  return { cert: certificate, key, ...(clientCa && { ca: clientCa }) }
}

function createHandler(
  operation: DeclaredOperation | StreamOperation | WatchOperation,
  {
    pipeline,
    draining,
    runWatch,
    readCall,
  }: { pipeline: Pipeline; draining: AbortSignal; runWatch: RunWatch; readCall: ReadCall },
): UntypedHandleCall {
  if (!('kind' in operation)) return createUnaryHandler(operation, pipeline, readCall)
  if (operation.kind === 'bidi_streaming')
    return createBidiHandler(operation, pipeline, draining, readCall)
  if ('routes' in operation) return createWatchHandler(operation, pipeline, runWatch, readCall)
  return createPageStreamHandler(operation, pipeline, readCall)
}

function createUnaryHandler(
  operation: Operation,
  pipeline: Pipeline,
  readCall: ReadCall,
): handleUnaryCall<ReceivedMessage, object> {
  return async (incoming, callback) => {
    const call = withMessage(readCall(incoming), incoming.request, operation.policy)
    const { error, response } = await pipeline(operation, call)
    if (error) return callback(toGrpcStatus(error, call.requestId))
    completeCall(incoming)
    incoming.sendMetadata(responseMetadata)
    callback(null, response ?? {})
  }
}
