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
import type { ServiceError } from '../core/errors.ts'
import type { DeclaredOperation, Operation, StreamOperation } from '../rpc/operation.ts'
import type { Pipeline } from '../rpc/pipeline.ts'
import { createShutdownAnnouncer } from './announce-shutdown.ts'
import {
  LargeMessage,
  maxMessageBytes,
  messageLimit,
  messageTooLarge,
  withCodecs,
} from './codecs.ts'
import { addHealth } from './health.ts'
import { readCall } from './incoming.ts'
import { addReflection } from './reflection.ts'
import { toGrpcStatus, toTrailersOnly } from './status.ts'
import { createBidiHandler, createPageStreamHandler } from './streams.ts'
import { limitUnfinishedMessages } from './unfinished-messages.ts'

/** When connections of unresponsive clients are closed. */
export type Keepalive = {
  /** Milliseconds between two pings. */
  interval: number
  /** Milliseconds that a client has to acknowledge a ping. */
  timeout: number
}

/** Certificates in PEM. */
export type GrpcTls = {
  certificate: Buffer
  key: Buffer
  /** Requires client certificates that this CA has signed. */
  clientCa: Buffer | undefined
}

export type GrpcServerOptions = {
  /** Plaintext when undefined. */
  tls: GrpcTls | undefined
  /** Connections are never closed for their age, which would end long streams. */
  keepalive?: Keepalive | undefined
  /** Bytes of messages that have not arrived completely that the server may hold. */
  maxUnfinishedBytes: number
  /** The descriptors that server reflection serves; undefined turns reflection off. */
  reflection: FileRegistry | undefined
}

export type GrpcServer = {
  /** Replaces the certificates for new connections. Throws, and changes nothing, if they are invalid. */
  setTls(tls: GrpcTls): void
  /** Starts listening and returns the port. */
  listen(host: string, port: number): Promise<number>
  /** Sets the status that `grpc.health.v1` reports. */
  setServing(serving: boolean): void
  /** Accepts no more calls and waits for running ones, for at most `milliseconds`. */
  drain(milliseconds: number): Promise<void>
}

const defaultKeepalive: Keepalive = { interval: 60_000, timeout: 20_000 }

/**
 * Calls of one connection that run at once. Clients hold back further calls, so it is above the number
 * of calls that one workspace may have waiting (rpc/admit.ts): backends share a connection for all.
 */
const maxConcurrentStreams = 1000

/** Serves the operations over gRPC, with health checks and, optionally, reflection. */
export function createGrpcServer(
  operations: (DeclaredOperation | StreamOperation)[],
  services: Record<string, ServiceDefinition>,
  pipeline: Pipeline,
  { tls, keepalive = defaultKeepalive, maxUnfinishedBytes, reflection }: GrpcServerOptions,
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

  for (const [name, definition] of Object.entries(services)) {
    const own = operations.filter(({ service }) => service === name)
    const handlers = own.map((operation) => [
      operation.key,
      createHandler(operation, pipeline, draining.signal),
    ])
    server.addService(withCodecs(definition, own), Object.fromEntries(handlers))
  }
  if (reflection) addReflection(server, reflection)
  const health = addHealth(
    server,
    Object.keys(services).map((name) => `daikon.v1.${name}`),
  )

  const limits = new Map(
    operations.map((operation) => [`/${operation.name}`, messageLimit(operation)]),
  )
  const unfinishedMessages = {
    maxBytes: maxUnfinishedBytes,
    maxMessageBytes: (path: string) => limits.get(path) ?? maxMessageBytes,
    tooLargeHeaders: (path: string) =>
      toTrailersOnly(messageTooLarge(limits.get(path) ?? maxMessageBytes)),
  }

  const announcers: ReturnType<typeof createShutdownAnnouncer>[] = []
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
            announcers.push(createShutdownAnnouncer(http2Server))
          }
          resolve(boundPort)
        })
      }),
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
        // A closing HTTP/2 session rejects pings, which grpc-js 1.14 takes for a dead client: it would
        // cancel running calls. It has no public way to stop the pings.
        Object.assign(server, { keepaliveTimeMs: 0 })
        await new Promise<void>((resolve) => server.tryShutdown(() => resolve()))
      }
    },
  }
}

/** grpc-js has no public access to the HTTP/2 servers that it listens with. */
function listHttp2Servers(server: Server): Http2Server[] {
  const { http2Servers } = server as unknown as { http2Servers?: Map<Http2Server, unknown> }
  if (!http2Servers?.size) throw new Error('This version of grpc-js has no http2Servers')
  return [...http2Servers.keys()]
}

/** Credentials whose certificates can be replaced, which those of `ServerCredentials.createSsl` cannot. */
class TlsCredentials extends ServerCredentials {
  constructor(tls: GrpcTls) {
    super({ requestCert: tls.clientCa !== undefined }, toSecureContext(tls))
  }

  update(tls: GrpcTls): void {
    const options = toSecureContext(tls)
    // grpc-js would reject every connection after options that are invalid.
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
  operation: DeclaredOperation | StreamOperation,
  pipeline: Pipeline,
  draining: AbortSignal,
): UntypedHandleCall {
  if (!('kind' in operation)) return createUnaryHandler(operation, pipeline)
  if (operation.kind === 'bidi_streaming') return createBidiHandler(operation, pipeline, draining)
  return createPageStreamHandler(operation, pipeline)
}

function createUnaryHandler(
  operation: Operation,
  pipeline: Pipeline,
): handleUnaryCall<object | ServiceError, object> {
  return async (incoming, callback) => {
    const { request } = incoming
    const call = readCall(incoming, request)
    if (request instanceof LargeMessage) call.readInTurn = request.decode
    const { error, response } = await pipeline(operation, call)
    if (error) callback(toGrpcStatus(error, call.requestId))
    else callback(null, response ?? {})
  }
}
