import type { Application } from '../../src/server/application.ts'
import { movePosition } from './move-position.ts'
import { createRestTransport } from './rest-client.ts'
import { createGrpcTransport, pickMethod, type Transport } from './transports.ts'

/** Creates both transports for a listening application. */
export function createTransports(
  { operations }: Pick<Application, 'operations'>,
  ports: { grpcPort: number; httpPort: number },
  isOtherVersion = false,
): Transport[] {
  const rest = createRestTransport(operations, ports.httpPort, isOtherVersion)
  const grpc = createGrpcTransport(ports.grpcPort)
  const call: Transport['call'] = async (method, ...args) => {
    const outcome = await grpc.call(method, ...args)
    // Some tests call a server whose methods they do not know.
    if (operations.length === 0) return outcome
    return movePosition(
      outcome,
      pickMethod(operations, method, ({ name }) => name),
    )
  }
  return [{ ...grpc, call }, rest]
}
