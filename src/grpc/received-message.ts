import type { ServiceError } from '../core/errors.ts'
import type { Call } from '../rpc/call.ts'
import type { Policy } from '../rpc/method.ts'

/** A message that has arrived, but is not decoded yet. */
export type ReceivedMessage = {
  bytes: number
  decode(): object | ServiceError
}

/** The size in bytes from which a message is decoded only for verified credentials. */
const largeBytes = 16 * 1024

/**
 * The size up to which large messages wait for their turn as bytes. Larger ones are mostly invalid,
 * so they do not wait in memory.
 * See docs/decisions/limits.md#large-grpc-messages-of-checks.
 */
const maxWaitingBytes = 512 * 1024

/** Adds a received message to a call, decoded unless it is large. */
export function withMessage(
  call: Call,
  { bytes, decode }: ReceivedMessage,
  { capacity }: Pick<Policy, 'capacity'>,
): Call {
  if (bytes <= largeBytes) return { ...call, message: decode() }
  const waits = capacity === 'shared_read' && bytes <= maxWaitingBytes
  const read = async () => decode()
  return { ...call, hasLargeBody: true, ...(waits ? { readInTurn: decode } : { read }) }
}
