import type { ChannelOptions } from '@grpc/grpc-js'
import type { DaikonClient } from './api.ts'
import type { ActionsByType, MethodOptions } from './argument-types.ts'
import type { Method } from './connection.ts'
import { type ClientOptions, createClient } from './create-client.ts'
import { invalidArgument } from './errors.ts'
import { createGrpcConnection, type TlsOptions } from './grpc-connection.ts'

export type DaikonOptions = ClientOptions & {
  /** The host and port of the gRPC server, such as `localhost:50051`. */
  address: string
  /**
   * `true` or certificates for TLS, `false` for plaintext. Defaults to plaintext for loopback
   * addresses and to TLS for all others.
   */
  tls?: boolean | TlsOptions | undefined
  /** Options of grpc-js, which override those that the client sets. */
  grpcOptions?: ChannelOptions | undefined
}

/**
 * Creates a client. It connects on first use and reconnects automatically. Use one client for the
 * whole process.
 *
 * @example
 * const daikon = createDaikon({ address: 'localhost:50051', service: 'docs', serviceKey })
 *
 * @example
 * // The compiler checks the types of resources and their actions.
 * const daikon = createDaikon<{ document: 'view' | 'edit' | 'publish' }>({ address, service, serviceKey })
 *
 * @throws InvalidArgumentError if an option is missing or malformed
 */
export function createDaikon<Actions extends ActionsByType = ActionsByType>(
  options: DaikonOptions,
): DaikonClient<Actions> {
  const { address, serviceKey, tls, grpcOptions } = options
  requireAddress(address)
  const connect = () => createGrpcConnection({ address, serviceKey, tls, grpcOptions })
  const { daikon, caller } = createClient<Actions>(connect, options, [
    'address',
    'tls',
    'grpcOptions',
  ])
  return {
    ...daikon,
    call<Request, Response>(
      method: Method<Request, Response>,
      request: Request,
      { as: token, retry = false, ...options }: MethodOptions = {},
    ) {
      return caller.send(method, request, { ...options, token, retry })
    },
  }
}

function requireAddress(address: string): void {
  const message =
    typeof address !== 'string' || address === ''
      ? 'must be host:port'
      : /^https?:\/\//.test(address)
        ? 'must be host:port of the gRPC server, not a URL'
        : !/:\d+$|^unix:/.test(address) && 'must have a port, such as localhost:50051'
  if (message) throw invalidArgument({ field: 'address', message })
}
