import type { DaikonError } from './errors.ts'
import { sleep } from './signals.ts'

/** A method of the API. Only the compiler knows the types of its messages. */
export type Method<Request, Response> = {
  /** The path of the method in gRPC, such as `/daikon.v1.PermissionService/Share`. */
  path: string
  messages?: { request: Request; response: Response }
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

/** Sends calls to daikon. */
export type Connection = {
  /** Sends a call once. */
  send<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    attempt: Attempt,
  ): Promise<Response>
  /** Opens a stream, which ends when the signal is aborted or the iteration ends. */
  stream<Request, Response>(
    method: Method<Request, Response>,
    request: Request,
    signal: AbortSignal,
  ): AsyncIterable<Response>
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

/** Sends a call, and again if it may be retried. Returns undefined if `onRepeated` returned true. */
export async function sendWithRetries<Request, Response>(
  connection: Connection,
  method: Method<Request, Response>,
  request: Request,
  attempt: Attempt,
): Promise<Response | undefined> {
  for (let count = 1; ; count += 1) {
    try {
      return await connection.send(method, request, attempt)
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
}
