import type { Operation } from '../../src/rpc/operation.ts'
import type { Outcome } from './transports.ts'

/**
 * Returns an outcome with the position of a change beside the message instead of in it, so that the message
 * can be compared with what a read returns.
 */
export function movePosition(outcome: Outcome, { policy }: Pick<Operation, 'policy'>): Outcome {
  if (!outcome.ok) return outcome
  const { position, ...others } = outcome.message
  const message = policy.position ? others : outcome.message
  deleteAbsentPositions(message)
  return { ...outcome, message, ...(policy.position && { position }) }
}

/** Over gRPC, messages have every field that is declared. */
function deleteAbsentPositions(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const message = value as { position?: unknown }
  if ('position' in message && message.position === undefined) delete message.position
  for (const part of Object.values(message)) deleteAbsentPositions(part)
}
