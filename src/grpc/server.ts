import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type UntypedHandleCall,
} from '@grpc/grpc-js'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { DeclaredOperation, Operation, StreamOperation } from '../rpc/operation.ts'
import type { Pipeline } from '../rpc/pipeline.ts'
import { readCall } from './incoming.ts'
import { toGrpcStatus } from './status.ts'
import { createAnswers, createPages } from './streams.ts'

/** The largest message, in bytes; a larger one is RESOURCE_EXHAUSTED. */
const largestMessage = 4 * 1024 * 1024

/** What a message may have beside the file that it holds. */
const besideFile = 1024 * 1024

/** When a client that is not there any more is noticed, in milliseconds. */
export type Keepalive = {
  /** Between two pings, which every client answers by itself. */
  interval: number
  /** For the answer; without one the connection is cut. */
  patience: number
}

/** A silent client goes within 80 seconds. Age ends no connection: it would end long streams. */
const keepalive: Keepalive = { interval: 60_000, patience: 20_000 }

/** The inside door over HTTP/2. */
export type GrpcListener = {
  /** Listens; answers the port. */
  listen(host: string, port: number): Promise<number>
  /** Takes no more and lets calls under way finish, for `milliseconds` at most. */
  drain(milliseconds: number): Promise<void>
}

/** What the server shows, and who has to have signed what clients show, if they have to. */
export type GrpcTls = { certificate: Buffer; key: Buffer; clientCa: Buffer | undefined }

/** Stands a server at the door; not listening yet. `onDrain` ends what would not end by itself. */
export function createGrpcListener(
  server: Server,
  { tls, onDrain }: { tls: GrpcTls | undefined; onDrain(): void },
): GrpcListener {
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        const credentials = tls ? secured(tls) : ServerCredentials.createInsecure()
        server.bindAsync(`${host}:${port}`, credentials, (error, bound) =>
          error ? reject(error) : resolve(bound),
        )
      }),
    drain: (milliseconds) =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.forceShutdown(), milliseconds)
        onDrain()
        // grpc-js takes a ping that a closing connection can't send for a lost one, and cuts its calls.
        Object.assign(server, { keepaliveTimeMs: 0 })
        server.tryShutdown(() => {
          clearTimeout(force)
          resolve()
        })
      }),
  }
}

function secured({ certificate, key, clientCa }: GrpcTls): ServerCredentials {
  const pair = { cert_chain: certificate, private_key: key }
  return ServerCredentials.createSsl(clientCa ?? null, [pair], clientCa !== undefined)
}

/** Every operation over gRPC, by the definitions of gen/. */
export function createGrpcServer(
  operations: (DeclaredOperation | StreamOperation)[],
  definitions: Record<string, ServiceDefinition>,
  pipeline: Pipeline,
  draining: AbortSignal,
  { interval, patience } = keepalive,
): Server {
  const server = new Server({
    'grpc.max_receive_message_length': Math.max(...operations.map(messageLimit)),
    'grpc.keepalive_time_ms': interval,
    'grpc.keepalive_timeout_ms': patience,
    // Its counters cost every call, and nobody asks for them.
    'grpc.enable_channelz': 0,
  })
  for (const [service, definition] of Object.entries(definitions)) {
    const own = operations.filter((operation) => operation.service === service)
    const handlers = own.map((operation) => [
      operation.key,
      createHandler(operation, pipeline, draining),
    ])
    const limits = new Map(own.map((operation) => [operation.key, messageLimit(operation)]))
    server.addService(tolerant(definition, limits), Object.fromEntries(handlers))
  }
  return server
}

function createHandler(
  operation: DeclaredOperation | StreamOperation,
  pipeline: Pipeline,
  draining: AbortSignal,
): UntypedHandleCall {
  if (!('kind' in operation)) return createAnswer(operation, pipeline)
  if (operation.kind === 'bidi_streaming') return createAnswers(operation, pipeline, draining)
  return createPages(operation, pipeline)
}

function createAnswer(
  operation: Operation,
  pipeline: Pipeline,
): handleUnaryCall<object | ServiceError, object> {
  return async (incoming, callback) => {
    const call = readCall(incoming, incoming.request)
    const { error, response } = await pipeline(operation, call)
    if (error) callback(toGrpcStatus(error, call.requestId))
    else callback(null, response ?? {})
  }
}

function messageLimit({ policy: { upload } }: Operation): number {
  return upload ? upload.largest + besideFile : largestMessage
}

/**
 * The definition with bytes that are no message, or too many for the method, turned into a Fault,
 * so that they take the pipeline too.
 */
function tolerant(definition: ServiceDefinition, limits: Map<string, number>): ServiceDefinition {
  const methods = Object.entries(definition).map(([key, method]) => {
    const { requestDeserialize } = method
    const limit = limits.get(key) ?? largestMessage
    const read = (bytes: Buffer) => {
      if (bytes.length > limit) return tooLarge(limit)
      try {
        return requestDeserialize(bytes)
      } catch (error) {
        return unreadable(error)
      }
    }
    return [key, { ...method, requestDeserialize: read }]
  })
  return Object.fromEntries(methods)
}

/** As grpc-js says it of a message over the limit of the whole server. */
function tooLarge(limit: number): ServiceError {
  return new ServiceError(
    'resource_exhausted',
    'MESSAGE_TOO_LARGE',
    `The message has more than ${limit} bytes`,
  )
}

function unreadable(cause: unknown): ServiceError {
  const fault = invalidArgument({ field: '', message: 'The message is not valid protobuf' })
  fault.cause = cause
  return fault
}
