import type { Application } from '../../src/server/application.ts'
import { createRestTransport } from './rest-client.ts'
import { createGrpcTransport, type Transport } from './transports.ts'

/** Creates both transports for a listening application. */
export function createTransports(
  { operations }: Pick<Application, 'operations'>,
  ports: { grpcPort: number; httpPort: number },
  isOtherVersion = false,
): Transport[] {
  const rest = createRestTransport(operations, ports.httpPort, isOtherVersion)
  return [createGrpcTransport(ports.grpcPort), rest]
}
