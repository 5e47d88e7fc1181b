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
} from '@grpc/grpc-js'
import {
  abortError,
  CancelledError,
  type DaikonError,
  DeadlineExceededError,
  invalidArgument,
} from './errors.ts'
import { readServerError } from './server-errors.ts'
import { onAbort, sleep } from './signals.ts'
import type { ServerStreamMethod, UnaryMethod } from './unary-method.ts'

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

export type Attempt = {
  /** The deadline of the call, in milliseconds since the epoch. */
  deadline: number
  signal?: AbortSignal | undefined
  /** The access token that is sent with the call. */
  token?: string | undefined
  /** Whether the call is idempotent and may be retried. */
  retry: boolean
  /** Whether the error of a retry means that an earlier attempt succeeded. */
  onRepeated?: ((error: DaikonError) => boolean) | undefined
}

/** Sends calls over one HTTP/2 connection, which the first call opens. */
export type Connection = {
  send<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    attempt: Attempt,
  ): Promise<Response | undefined>
  /** Opens a stream, which ends when the signal is aborted or the iteration ends. */
  stream<Request, Response>(
    method: ServerStreamMethod<Request, Response>,
    request: Request,
    signal: AbortSignal,
  ): AsyncIterable<Response>
  isClosed(): boolean
  /** Aborted by `close`. */
  closed: AbortSignal
  close(): void
}

const maxAttempts = 3

/**
 * The maximum delay before the first retry, in milliseconds. The actual delay is at least half of
 * it, and doubles with each retry.
 */
const retryDelayMs = 50

export function createConnection(options: ConnectionOptions): Connection {
  const { address } = options
  const client = new Client(address, createCredentials(options), channelOptions(options))
  const running = new Set<ClientUnaryCall>()
  const base = createMetadata(options.serviceKey)
  const closing = new AbortController()
  const isClosed = () => closing.signal.aborted

  function sendOnce<Request, Response>(
    method: UnaryMethod<Request, Response>,
    request: Request,
    { deadline, signal, token }: Attempt,
  ): Promise<Response> {
    return new Promise((resolve, reject) => {
      if (isClosed()) return reject(closedError())
      if (signal?.aborted) return reject(abortError(signal))
      const call = client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        token === undefined ? base : withToken(base, token),
        { deadline },
        (error, response) => {
          running.delete(call)
          stopListening?.()
          if (!error) resolve(response as Response)
          else if (signal?.aborted) reject(abortError(signal))
          else if (isClosed()) reject(closedError())
          else reject(readServerError(error, address))
        },
      )
      running.add(call)
      const stopListening = signal && onAbort(signal, () => call.cancel())
    })
  }

  return {
    async send(method, request, attempt) {
      for (let count = 1; ; count += 1) {
        try {
          return await sendOnce(method, request, attempt)
        } catch (thrown) {
          const error = thrown as DaikonError
          if (count > 1 && attempt.onRepeated?.(error)) return undefined
          const isRetryable = error.code === 'unavailable' && error.reason !== 'TLS_FAILED'
          const delay = retryDelayMs * 2 ** (count - 1) * (0.5 + Math.random() / 2)
          const fits = Date.now() + delay < attempt.deadline
          if (!attempt.retry || !isRetryable || count === maxAttempts || !fits) throw error
          await sleep(delay, attempt.signal)
        }
      }
    },
    async *stream(method, request, signal) {
      const { path, requestSerialize, responseDeserialize } = method
      const call = client.makeServerStreamRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        base,
      )
      // Reported by the iteration, or caused by `cancel` below.
      call.on('error', () => {})
      const stopListening = onAbort(signal, () => call.cancel())
      try {
        yield* call
      } catch (error) {
        throw readServerError(error as ServiceError, address)
      } finally {
        stopListening()
        call.cancel()
      }
    },
    isClosed,
    closed: closing.signal,
    close() {
      if (isClosed()) return
      closing.abort()
      for (const call of running) call.cancel()
      client.close()
    },
  }
}

/** Creates the error for operations on a closed client. */
export function closedError(): CancelledError {
  return new CancelledError('The client was closed. Call close() only when it is no longer needed')
}

/**
 * Creates a limiter that runs at most `capacity` tasks concurrently. Further tasks wait in order, until
 * their deadline.
 */
export function createLimiter(capacity: number) {
  const waiting: (() => void)[] = []
  let running = 0

  function release() {
    running -= 1
    waiting.shift()?.()
  }

  function enter(deadline: number, signal: AbortSignal | undefined): Promise<void> | undefined {
    if (running < capacity) {
      running += 1
      return undefined
    }
    return new Promise((resolve, reject) => {
      const settle = (finish: () => void) => {
        const index = waiting.indexOf(start)
        if (index !== -1) waiting.splice(index, 1)
        clearTimeout(timeout)
        stopListening?.()
        finish()
      }
      const start = () => {
        running += 1
        settle(resolve)
      }
      const timeout = setTimeout(
        () => settle(() => reject(queueDeadlineError())),
        Math.max(deadline - Date.now(), 0),
      )
      const stopListening =
        signal && onAbort(signal, () => settle(() => reject(abortError(signal))))
      waiting.push(start)
    })
  }

  return {
    async run<Result>(
      task: () => Promise<Result>,
      { deadline, signal }: Pick<Attempt, 'deadline' | 'signal'>,
    ): Promise<Result> {
      await enter(deadline, signal)
      try {
        return await task()
      } finally {
        release()
      }
    },
    /** Takes a slot if one is free. The caller must return it with `release`. */
    tryEnter(): boolean {
      if (running >= capacity) return false
      running += 1
      return true
    },
    release,
    /** Takes a slot as soon as one is free, then calls `callback`. */
    whenFree(callback: () => void): void {
      waiting.push(() => {
        running += 1
        callback()
      })
    },
  }
}

/** Creates the error for an operation whose deadline passed before it could start. */
export function queueDeadlineError(): DeadlineExceededError {
  return new DeadlineExceededError(
    'The deadline passed while the operation waited for others. Start fewer concurrently, or raise maxInFlight',
  )
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
    'grpc.initial_reconnect_backoff_ms': 100,
    'grpc.max_reconnect_backoff_ms': 5000,
    // Detects broken connections, and keeps idle ones open behind load balancers.
    'grpc.keepalive_time_ms': 30_000,
    'grpc.keepalive_timeout_ms': 10_000,
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
  try {
    metadata.set('authorization', `Bearer ${token}`)
  } catch {
    throw invalidArgument({ field: 'as', message: 'must be an access token' })
  }
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
