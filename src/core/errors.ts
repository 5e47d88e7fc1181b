import type { ErrorReason } from './define-reasons.ts'
import type { ErrorCode } from './error-codes.ts'
import { reasons } from './reasons.ts'

/** A problem with one field: its path in the request and a message that completes "<field> …". */
export type FieldViolation = { field: string; message: string }

type ServiceErrorOptions = {
  violations?: FieldViolation[]
  /** Whole seconds until a retry may succeed. */
  retryAfter?: number | undefined
  /** The age in seconds that a sign-in may have at most. The caller's is older. */
  maxSignInAge?: number | undefined
  /** What the problem details contain besides (RFC 9457, 3.2). */
  extensions?: Record<string, unknown> | undefined
  /** Logged, but never sent to the client. */
  cause?: unknown
}

/**
 * An error that a client may see: `message` and `reason` are public, `cause` is not.
 *
 * @example
 * throw new ServiceError(reasons.GROUP_NOT_FOUND)
 */
export class ServiceError extends Error {
  readonly code: ErrorCode
  /** The name of the reason, for programs to compare. */
  readonly reason: string
  readonly violations: FieldViolation[]
  readonly retryAfter: number | undefined
  readonly maxSignInAge: number | undefined
  readonly extensions: Record<string, unknown>
  readonly #reason: ErrorReason

  constructor(reason: ErrorReason, detail = reason.message, options: ServiceErrorOptions = {}) {
    super(detail, { cause: options.cause })
    this.name = 'ServiceError'
    this.code = reason.code
    this.reason = reason.name
    this.violations = options.violations ?? []
    this.retryAfter = options.retryAfter
    this.maxSignInAge = options.maxSignInAge
    this.extensions = options.extensions ?? {}
    this.#reason = reason
  }

  /**
   * Converts a thrown value to a ServiceError. An unexpected one becomes `internal` with a fixed
   * message.
   */
  static from(thrown: unknown): ServiceError {
    if (thrown instanceof ServiceError) return thrown
    return new ServiceError(reasons.INTERNAL, undefined, { cause: thrown })
  }

  /** Returns this error with another message. */
  reword(detail: string): ServiceError {
    return new ServiceError(this.#reason, detail, this)
  }
}

/**
 * Returns the error of a request that a decision denies. It has no stack: capturing one would make
 * the answer "no" of a gateway more expensive than a Check.
 */
export function createDenial(reason: ErrorReason, detail?: string): ServiceError {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const denial = new ServiceError(reason, detail)
  Error.stackTraceLimit = stackTraceLimit
  return denial
}

/** Returns the error of a request for a service other than the one its key belongs to. */
export function otherService(keyService: string): ServiceError {
  return new ServiceError(reasons.OTHER_SERVICE, `The service key is limited to ${keyService}`)
}

/** Returns an `invalid_argument` error that lists every problem of the request. */
export function invalidArgument(...violations: FieldViolation[]): ServiceError {
  const detail = violations.map(({ field, message }) => (field ? `${field} ${message}` : message))
  return new ServiceError(reasons.INVALID_REQUEST, detail.slice(0, 10).join('; '), { violations })
}

/** Returns the error of a call whose caller already has too many calls waiting. */
export function tooManyConcurrentRequests(): ServiceError {
  return new ServiceError(reasons.TOO_MANY_CONCURRENT_REQUESTS, undefined, { retryAfter: 1 })
}

/** Returns the error of a call that was cancelled by its client or whose deadline has passed. */
export function callCancelled(): ServiceError {
  return new ServiceError(reasons.CALL_ENDED, undefined, { retryAfter: 1 })
}
