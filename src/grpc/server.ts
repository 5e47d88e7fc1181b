import {
  type handleUnaryCall,
  type Metadata,
  Server,
  ServerCredentials,
  type ServerUnaryCall,
  type ServiceDefinition,
} from '@grpc/grpc-js'
import type { Call } from '../rpc/call.ts'
import { readCookie } from '../rpc/cookie-header.ts'
import { type Fault, invalid } from '../rpc/fault.ts'
import type { DeclaredOperation, Operation } from '../rpc/operation.ts'
import type { Pipeline } from '../rpc/pipeline.ts'
import { readRequestId } from '../rpc/request-id.ts'
import { faultStatus } from './status.ts'

/** The largest message, in bytes; a larger one is RESOURCE_EXHAUSTED (contract 2). */
const largestMessage = 4 * 1024 * 1024

/** The inside door over HTTP/2. */
export type GrpcDoor = {
  /** Listens; answers the port. */
  listen(host: string, port: number): Promise<number>
  /** Takes no more and lets calls under way finish, for `milliseconds` at most. */
  drain(milliseconds: number): Promise<void>
}

/** Stands a server at the door; not listening yet. */
export function createGrpcDoor(server: Server): GrpcDoor {
  return {
    listen: (host, port) =>
      new Promise((resolve, reject) => {
        const credentials = ServerCredentials.createInsecure()
        server.bindAsync(`${host}:${port}`, credentials, (error, bound) =>
          error ? reject(error) : resolve(bound),
        )
      }),
    drain: (milliseconds) =>
      new Promise((resolve) => {
        const force = setTimeout(() => server.forceShutdown(), milliseconds)
        server.tryShutdown(() => {
          clearTimeout(force)
          resolve()
        })
      }),
  }
}

/** Every operation over gRPC, by the definitions of gen/. */
export function createGrpcServer(
  operations: DeclaredOperation[],
  definitions: Record<string, ServiceDefinition>,
  pipeline: Pipeline,
): Server {
  const server = new Server({
    'grpc.max_receive_message_length': largestMessage,
    // Its counters cost every call, and nobody asks for them.
    'grpc.enable_channelz': 0,
  })
  for (const [service, definition] of Object.entries(definitions)) {
    const own = operations.filter((operation) => operation.service === service)
    const handlers = own.map((operation) => [operation.key, createHandler(operation, pipeline)])
    server.addService(tolerant(definition), Object.fromEntries(handlers))
  }
  return server
}

function createHandler(
  operation: Operation,
  pipeline: Pipeline,
): handleUnaryCall<object | Fault, object> {
  return async (incoming, callback) => {
    const call = readCall(incoming)
    const { fault, response } = await pipeline(operation, call)
    if (fault) callback(faultStatus(fault, call.requestId))
    else callback(null, response ?? {})
  }
}

function readCall(incoming: ServerUnaryCall<object | Fault, object>): Call {
  const { metadata, request } = incoming
  return {
    door: 'grpc',
    message: request,
    credentials: {
      authorization: text(metadata, 'authorization'),
      serviceKey: text(metadata, 'x-service-key'),
      adminToken: readCookie(text(metadata, 'cookie'), 'admin_token'),
    },
    ip: peerAddress(incoming.getPeer()),
    requestId: readRequestId(text(metadata, 'x-request-id')),
  }
}

/** A value given twice is none that could be valid. */
function text(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name)
  return values.length === 0 ? undefined : values.join(', ')
}

/** The definition with bytes that are no message turned into a Fault, so that they take the pipeline too. */
function tolerant(definition: ServiceDefinition): ServiceDefinition {
  const methods = Object.entries(definition).map(([key, method]) => {
    const { requestDeserialize } = method
    const read = (bytes: Buffer) => {
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

function unreadable(cause: unknown): Fault {
  const fault = invalid({ field: '', message: 'The message is not valid protobuf' })
  fault.cause = cause
  return fault
}

/** grpc-js appends the port to an address without brackets. */
function peerAddress(peer: string): string {
  return peer.slice(0, Math.max(peer.lastIndexOf(':'), 0)) || peer
}
