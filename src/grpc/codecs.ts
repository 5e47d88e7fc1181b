import type { DescMessage, FileRegistry } from '@bufbuild/protobuf'
import type { ServiceDefinition } from '@grpc/grpc-js'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import { shareResults } from '../core/share-results.ts'
import type { Operation } from '../rpc/operation.ts'
import { createValueCheck } from './count-values.ts'
import { reasons } from './reasons.ts'
import type { ReceivedMessage } from './received-message.ts'

/**
 * The maximum size of a message in bytes, the default of grpc-js. Larger messages fail with
 * RESOURCE_EXHAUSTED.
 */
export const maxMessageBytes = 4 * 1024 * 1024

/** The bytes allowed for the other fields of a message that contains an uploaded file. */
const uploadOverheadBytes = 1024 * 1024

/** The maximum size of a message whose sender needs no credentials, in bytes. */
export const maxPublicMessageBytes = 16 * 1024

type LimitedOperation = Pick<Operation, 'policy'> & {
  /** Only watches have both. */
  kind?: string
  routes?: unknown
  /** Overrides the limit that follows from the policy. */
  maxMessageBytes?: number
}

/** Returns the maximum size of a message of an operation, in bytes. */
export function messageLimit({
  policy: { tier, upload },
  maxMessageBytes: limit,
}: LimitedOperation): number {
  if (limit !== undefined) return limit
  if (tier === 'public') return maxPublicMessageBytes
  return upload ? upload.maxBytes + uploadOverheadBytes : maxMessageBytes
}

/**
 * Makes deserializers return a ReceivedMessage, which is decoded when its handler runs or later. A
 * malformed or oversized message is decoded to a ServiceError, which the pipeline reports after
 * rate limiting and authentication. grpc-js has one size limit for all methods of a server, so the
 * limit of each method is enforced here. A message that several watches send is serialized once.
 * Methods without an operation are left out: they are not served.
 */
export function withCodecs(
  definition: ServiceDefinition,
  operations: (LimitedOperation & { key: string; input: DescMessage })[],
  registry: FileRegistry,
): ServiceDefinition {
  const operationsByKey = new Map(operations.map((operation) => [operation.key, operation]))
  const methods = Object.entries(definition).flatMap(([key, method]) => {
    const operation = operationsByKey.get(key)
    if (!operation) return []
    const limit = messageLimit(operation)
    const checkValues = createValueCheck(registry, operation.input)
    const requestDeserialize = (bytes: Buffer): ReceivedMessage => ({
      bytes: bytes.length,
      decode() {
        if (bytes.length > limit) return messageTooLarge(limit)
        const error = checkValues(bytes)
        if (error) return error
        try {
          return method.requestDeserialize(bytes)
        } catch (error) {
          return malformedMessage(error)
        }
      },
    })
    const responseSerialize =
      operation.kind && operation.routes
        ? shareResults(method.responseSerialize)
        : method.responseSerialize
    return [[key, { ...method, requestDeserialize, responseSerialize }]]
  })
  return Object.fromEntries(methods)
}

/** Returns the error of a message that exceeds `limit` bytes. */
export function messageTooLarge(limit: number): ServiceError {
  const detail = `The message exceeds ${limit} bytes`
  return new ServiceError(reasons.MESSAGE_TOO_LARGE, detail)
}

function malformedMessage(cause: unknown): ServiceError {
  const error = invalidArgument({ field: '', message: 'The message is not valid protobuf' })
  error.cause = cause
  return error
}
