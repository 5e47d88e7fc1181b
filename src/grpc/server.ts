import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServiceDefinition,
  type UntypedHandleCall,
} from '@grpc/grpc-js'
import { type Fault, invalid } from '../rpc/fault.ts'
import type { DeclaredOperation, Operation, StreamOperation } from '../rpc/operation.ts'
import type { Pipeline } from '../rpc/pipeline.ts'
import { readCall } from './incoming.ts'
import { faultStatus } from './status.ts'
import { createExchange, createPages } from './streams.ts'

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
  operations: (DeclaredOperation | StreamOperation)[],
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
  operation: DeclaredOperation | StreamOperation,
  pipeline: Pipeline,
): UntypedHandleCall {
  if (!('kind' in operation)) return createAnswer(operation, pipeline)
  const create = operation.kind === 'bidi_streaming' ? createExchange : createPages
  return create(operation, pipeline)
}

function createAnswer(
  operation: Operation,
  pipeline: Pipeline,
): handleUnaryCall<object | Fault, object> {
  return async (incoming, callback) => {
    const call = readCall(incoming, incoming.request)
    const { fault, response } = await pipeline(operation, call)
    if (fault) callback(faultStatus(fault, call.requestId))
    else callback(null, response ?? {})
  }
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
