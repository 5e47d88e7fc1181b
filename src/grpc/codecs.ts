import type { ServiceDefinition } from '@grpc/grpc-js'
import { encodeMessage, isEncodable } from '../core/encoded-message.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { Operation } from '../rpc/operation.ts'

/**
 * The maximum size of a message in bytes, the default of grpc-js. Larger messages fail with
 * RESOURCE_EXHAUSTED.
 */
export const maxMessageBytes = 4 * 1024 * 1024

/** The bytes allowed for the other fields of a message that contains an uploaded file. */
const uploadOverheadBytes = 1024 * 1024

/**
 * The sizes in bytes of messages that are decoded once they are admitted. Larger ones are invalid
 * for the methods concerned, so they are decoded at once instead of waiting in memory.
 */
const largeMessage = { min: 16 * 1024, max: 512 * 1024 }

/** A message that is decoded once it is admitted. */
export class LargeMessage {
  readonly decode: () => object | ServiceError

  constructor(decode: () => object | ServiceError) {
    this.decode = decode
  }
}

/** Returns the maximum size of a message of an operation, in bytes. */
export function messageLimit({ policy: { upload } }: Pick<Operation, 'policy'>): number {
  return upload ? upload.maxBytes + uploadOverheadBytes : maxMessageBytes
}

/**
 * Makes deserializers return malformed and oversized messages as a ServiceError, which the pipeline
 * reports after rate limiting and authentication. grpc-js has one size limit for all methods of a
 * server, so the limit of each method is enforced here. Large messages of unary methods whose
 * capacity is `shared_read` are returned as a LargeMessage. Responses that can encode themselves do
 * so.
 */
export function withCodecs(
  definition: ServiceDefinition,
  operations: (Pick<Operation, 'policy'> & { key: string; kind?: string })[],
): ServiceDefinition {
  const operationsByKey = new Map(operations.map((operation) => [operation.key, operation]))
  const methods = Object.entries(definition).map(([key, method]) => {
    const operation = operationsByKey.get(key)
    const limit = operation ? messageLimit(operation) : maxMessageBytes
    const isDeferred = operation && !operation.kind && operation.policy.capacity === 'shared_read'
    const decode = (bytes: Buffer) => {
      try {
        return method.requestDeserialize(bytes)
      } catch (error) {
        return malformedMessage(error)
      }
    }
    const requestDeserialize = (bytes: Buffer) => {
      const { length } = bytes
      if (length > limit) return messageTooLarge(limit)
      const isLarge = length >= largeMessage.min && length <= largeMessage.max
      return isDeferred && isLarge ? new LargeMessage(() => decode(bytes)) : decode(bytes)
    }
    const responseSerialize = (message: object) =>
      isEncodable(message)
        ? message[encodeMessage](method.responseSerialize)
        : method.responseSerialize(message)
    return [key, { ...method, requestDeserialize, responseSerialize }]
  })
  return Object.fromEntries(methods)
}

/** Returns the error of a message that exceeds `limit` bytes. */
export function messageTooLarge(limit: number): ServiceError {
  const detail = `The message exceeds ${limit} bytes`
  return new ServiceError('resource_exhausted', 'MESSAGE_TOO_LARGE', detail)
}

function malformedMessage(cause: unknown): ServiceError {
  const error = invalidArgument({ field: '', message: 'The message is not valid protobuf' })
  error.cause = cause
  return error
}
