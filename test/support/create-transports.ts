import type { Application } from '../../src/server/application.ts'
import { createRestTransport } from './rest-client.ts'
import { createGrpcTransport, type Outcome, pickMethod, type Transport } from './transports.ts'

type Operations = Application['operations']

/** Creates both transports for a listening application. */
export function createTransports(
  { operations }: Pick<Application, 'operations'>,
  ports: { grpcPort: number; httpPort: number },
  isOtherVersion = false,
): Transport[] {
  const rest = createRestTransport(operations, ports.httpPort, isOtherVersion)
  return [createGrpcTransport(ports.grpcPort), rest].map((one) => movePositions(one, operations))
}

/**
 * Returns a transport that moves the position of a change out of the message, so that it can be compared with
 * what a read returns.
 */
function movePositions(transport: Transport, operations: Operations): Transport {
  return {
    ...transport,
    async call(method, ...args): Promise<Outcome> {
      const outcome = await transport.call(method, ...args)
      if (!outcome.ok) return outcome
      const { policy } = pickMethod(operations, method, ({ name }) => name)
      const { position, ...others } = outcome.message
      const message = policy.position ? others : outcome.message
      deleteAbsentPositions(message)
      return { ...outcome, message, ...(policy.position && { position }) }
    },
  }
}

/** Over gRPC, messages have every field that is declared. */
function deleteAbsentPositions(value: unknown): void {
  if (typeof value !== 'object' || value === null) return
  const message = value as { position?: unknown }
  if ('position' in message && message.position === undefined) delete message.position
  for (const part of Object.values(message)) deleteAbsentPositions(part)
}
