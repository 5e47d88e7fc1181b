import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'
import {
  type ChannelCredentials,
  type ChannelOptions,
  Client,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type ServiceError,
  status,
} from '@grpc/grpc-js'
import type { Attempt, Connection, Method } from './connection.ts'
import { abortError, closedError, DeadlineExceededError, invalidArgument } from './errors.ts'
import { AccessServiceService } from './gen/daikon/v1/access.ts'
import { ActivityServiceService } from './gen/daikon/v1/activity.ts'
import { AuthServiceService } from './gen/daikon/v1/auth.ts'
import { OAuthServiceService } from './gen/daikon/v1/oauth.ts'
import { PermissionServiceService } from './gen/daikon/v1/permissions.ts'
import { readGrpcError } from './grpc-errors.ts'
import { onAbort } from './signals.ts'
import type { UnaryMethod } from './unary-method.ts'

/** Certificates in PEM format. */
export type TlsOptions = {
  /** The certificate authority of the server. Defaults to the authorities that Node.js trusts. */
  ca?: string | Buffer | undefined
  /** The certificate of this client, if the server requires one (mutual TLS). */
  cert?: string | Buffer | undefined
  /** The private key of `cert`. */
  key?: string | Buffer | undefined
  /** The name in the server's certificate, if it differs from the host in the address. */
  serverName?: string | undefined
}

export type ConnectionOptions = {
  address: string
  serviceKey: string | undefined
  tls: boolean | TlsOptions | undefined
  grpcOptions: ChannelOptions | undefined
}

/** The definitions of the methods that the client calls, by path. */
const definitions = new Map(
  [
    AccessServiceService,
    ActivityServiceService,
    AuthServiceService,
    OAuthServiceService,
    PermissionServiceService,
  ].flatMap((service) =>
    Object.values(service).map((definition): [string, object] => [definition.path, definition]),
  ),
)

/** A connection, with the calls that it carries. */
type Channel = {
  client: Client
  running: Set<{ cancel(): void }>
  /** The number of deadlines that calls have met since the last response. */
  missed: number
  /** When a call met the last of them. */
  missedAt: number
}

/**
 * The number of deadlines after which a connection is replaced. Pings would take longer to find out
 * that nothing arrives any more.
 */
const maxMissed = 2

/** Sends calls over one HTTP/2 connection, which the first call opens. */
export function createGrpcConnection(options: ConnectionOptions): Connection {
  const { address } = options
  const channelCredentials = createCredentials(options)
  const channels = new Set<Channel>()
  let current = open()
  const base = createMetadata(options.serviceKey)
  const closing = new AbortController()

  function open(): Channel {
    const client = new Client(address, channelCredentials, channelOptions(options))
    const channel = { client, running: new Set<never>(), missed: 0, missedAt: 0 }
    channels.add(channel)
    return channel
  }

  /** Closes a connection that was replaced once it carries no calls. */
  function end(channel: Channel, call: { cancel(): void }): void {
    channel.running.delete(call)
    if (channel === current || channel.running.size > 0) return
    channels.delete(channel)
    channel.client.close()
  }

  /** Opens another connection if calls keep meeting their deadlines on this one. */
  function observe(channel: Channel, startedAt: number, isLate: boolean, code?: status): void {
    if (code === status.CANCELLED && !isLate) return
    if (code !== status.CANCELLED && code !== status.DEADLINE_EXCEEDED) channel.missed = 0
    // Calls that ran at the same time count once.
    else if (startedAt >= channel.missedAt) {
      channel.missed += 1
      channel.missedAt = Date.now()
    }
    if (channel.missed >= maxMissed && channel === current && !closing.signal.aborted)
      current = open()
  }

  return {
    send<Request, Response>(
      method: Method<Request, Response>,
      request: Request,
      { deadline, signal, token }: Attempt,
    ): Promise<Response> {
      return new Promise((resolve, reject) => {
        const channel = current
        const startedAt = Date.now()
        if (closing.signal.aborted) return reject(closedError())
        if (signal?.aborted) return reject(abortError(signal))
        const { path, requestSerialize, responseDeserialize } = define(method)
        const call: ClientUnaryCall = channel.client.makeUnaryRequest(
          path,
          requestSerialize,
          responseDeserialize,
          request,
          token === undefined ? base : withToken(base, token),
          { deadline },
          (error, response) => {
            // The last check of a call can reach its deadline before that of the call, which is another's.
            const isLate = Date.now() >= deadline || signal?.reason instanceof DeadlineExceededError
            observe(channel, startedAt, isLate, error?.code)
            end(channel, call)
            stopListening?.()
            if (!error) resolve(response as Response)
            else if (signal?.aborted) reject(abortError(signal))
            else if (closing.signal.aborted) reject(closedError())
            else reject(readGrpcError(error, address))
          },
        )
        channel.running.add(call)
        const stopListening = signal && onAbort(signal, () => call.cancel())
      })
    },
    async *stream(method, request, signal) {
      const { path, requestSerialize, responseDeserialize } = define(method)
      const channel = current
      const call = channel.client.makeServerStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        base,
      )
      // Reported by the iteration, or caused by `cancel` below.
      call.on('error', () => {})
      channel.running.add(call)
      const stopListening = onAbort(signal, () => call.cancel())
      try {
        yield* call
      } catch (error) {
        throw readGrpcError(error as ServiceError, address)
      } finally {
        stopListening()
        call.cancel()
        end(channel, call)
      }
    },
    closed: closing.signal,
    close() {
      if (closing.signal.aborted) return
      closing.abort()
      for (const { client, running } of channels) {
        for (const call of running) call.cancel()
        client.close()
      }
    },
  }
}

/** Returns how a method is encoded; methods that `call` receives say it themselves. */
function define<Request, Response>(
  method: Method<Request, Response>,
): UnaryMethod<Request, Response> {
  const definition = 'requestSerialize' in method ? method : definitions.get(method.path)
  return definition as UnaryMethod<Request, Response>
}

function createCredentials({ address, tls }: ConnectionOptions): ChannelCredentials {
  const usesTls = tls ?? !isLoopback(address)
  if (usesTls === false) return credentials.createInsecure()
  const { ca, cert, key, serverName } = usesTls === true ? ({} as TlsOptions) : usesTls
  if ((cert === undefined) !== (key === undefined))
    throw invalidArgument({ field: 'tls', message: 'must have both cert and key, or neither' })
  try {
    for (const certificate of [ca, cert]) if (certificate) new X509Certificate(certificate)
    if (key) createPrivateKey(key)
  } catch (error) {
    const message = `has a certificate or key that is not valid PEM: ${(error as Error).message}`
    throw invalidArgument({ field: 'tls', message })
  }
  const host = hostOf(address)
  const verifyOptions =
    isIP(host) && !serverName
      ? {
          checkServerIdentity: (_name: string, peer: PeerCertificate) =>
            checkServerIdentity(host, peer),
        }
      : {}
  return credentials.createSsl(toBuffer(ca), toBuffer(key), toBuffer(cert), verifyOptions)
}

function channelOptions({ address, tls, grpcOptions }: ConnectionOptions): ChannelOptions {
  const serverName = typeof tls === 'object' ? tls.serverName : undefined
  return {
    'grpc.enable_retries': 0,
    'grpc.enable_channelz': 0,
    'grpc.service_config_disable_resolution': 1,
    // Otherwise, another connection to the address would be the same one.
    'grpc.use_local_subchannel_pool': 1,
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 5000,
    // Detects broken connections, and keeps idle ones open behind load balancers.
    'grpc.keepalive_time_ms': 10_000,
    'grpc.keepalive_timeout_ms': 5000,
    'grpc.keepalive_permit_without_calls': 1,
    // grpc-js would send an IP address as the server name, which Node.js rejects (RFC 6066).
    ...(isIP(hostOf(address)) && { 'grpc.ssl_target_name_override': 'localhost' }),
    ...(serverName && {
      'grpc.ssl_target_name_override': serverName,
      'grpc.default_authority': serverName,
    }),
    ...grpcOptions,
  }
}

function createMetadata(serviceKey: string | undefined): Metadata {
  const metadata = new Metadata()
  if (serviceKey !== undefined) metadata.set('x-service-key', serviceKey)
  return metadata
}

function withToken(base: Metadata, token: string): Metadata {
  const metadata = base.clone()
  metadata.set('authorization', `Bearer ${token}`)
  return metadata
}

function isLoopback(address: string): boolean {
  return /^(localhost|127(\.\d+){3}|::1)$/.test(hostOf(address)) || address.startsWith('unix:')
}

/** Returns the host of an address without its resolver scheme, brackets and port. */
function hostOf(address: string): string {
  const authority = address.replace(/^(dns|ipv4|ipv6):(\/\/[^/]*\/)?/, '')
  return authority.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}

function toBuffer(pem: string | Buffer | undefined): Buffer | null {
  if (pem === undefined) return null
  return typeof pem === 'string' ? Buffer.from(pem) : pem
}
