/** A problem with one field: its path in the request and a message that completes "<field> …". */
export type FieldViolation = { field: string; message: string }

/** Every error code with its gRPC status, HTTP status and title. */
export const errorCodes = {
  invalid_argument: { grpc: 3, http: 422, title: 'Invalid request' },
  failed_precondition: { grpc: 9, http: 400, title: 'Failed precondition' },
  unauthenticated: { grpc: 16, http: 401, title: 'Unauthenticated' },
  permission_denied: { grpc: 7, http: 403, title: 'Permission denied' },
  not_found: { grpc: 5, http: 404, title: 'Not found' },
  method_not_allowed: { grpc: 12, http: 405, title: 'Method not allowed' },
  already_exists: { grpc: 6, http: 409, title: 'Conflict' },
  gone: { grpc: 11, http: 410, title: 'Gone' },
  aborted: { grpc: 10, http: 412, title: 'Precondition failed' },
  payload_too_large: { grpc: 11, http: 413, title: 'Payload too large' },
  unsupported_media_type: { grpc: 3, http: 415, title: 'Unsupported media type' },
  resource_exhausted: { grpc: 8, http: 429, title: 'Too many requests' },
  unavailable: { grpc: 14, http: 503, title: 'Unavailable' },
  internal: { grpc: 13, http: 500, title: 'Internal error' },
} as const

export type ErrorCode = keyof typeof errorCodes

type ServiceErrorOptions = {
  violations?: FieldViolation[]
  /** Whole seconds until a retry may succeed. */
  retryAfter?: number
  /** Logged, but never sent to the client. */
  cause?: unknown
}

/**
 * An error that a client may see: `message` and `reason` are public, `cause` is not.
 *
 * @example
 * throw new ServiceError('not_found', 'GROUP_NOT_FOUND', 'Group not found')
 */
export class ServiceError extends Error {
  readonly code: ErrorCode
  /** A stable UPPER_SNAKE_CASE identifier for programs to compare (google.rpc.ErrorInfo). */
  readonly reason: string
  readonly violations: FieldViolation[]
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, reason: string, detail: string, options: ServiceErrorOptions = {}) {
    super(detail, { cause: options.cause })
    this.name = 'ServiceError'
    this.code = code
    this.reason = reason
    this.violations = options.violations ?? []
    this.retryAfter = options.retryAfter
  }

  /**
   * Converts a thrown value to a ServiceError. An unexpected one becomes `internal` with a fixed
   * message.
   */
  static from(thrown: unknown): ServiceError {
    if (thrown instanceof ServiceError) return thrown
    return new ServiceError('internal', 'INTERNAL', 'Internal error', { cause: thrown })
  }
}

/**
 * Returns the error of a request that a decision denies. It has no stack: capturing one would make
 * the answer "no" of a gateway more expensive than a Check.
 */
export function createDenial(reason: string, detail: string): ServiceError {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = 0
  const denial = new ServiceError('permission_denied', reason, detail)
  Error.stackTraceLimit = stackTraceLimit
  return denial
}

/** Returns the error of a caller who may not make a request. */
export function permissionDenied(reason: string, detail: string): ServiceError {
  return new ServiceError('permission_denied', reason, detail)
}

/** Returns the error of a request for a service other than the one its key belongs to. */
export function otherService(keyService: string): ServiceError {
  const detail = `The service key is limited to ${keyService}`
  return new ServiceError('permission_denied', 'OTHER_SERVICE', detail)
}

/** Returns an `invalid_argument` error that lists every problem of the request. */
export function invalidArgument(...violations: FieldViolation[]): ServiceError {
  const detail = violations.map(({ field, message }) => (field ? `${field} ${message}` : message))
  return new ServiceError('invalid_argument', 'INVALID_REQUEST', detail.slice(0, 10).join('; '), {
    violations,
  })
}

/** Returns the error of a call whose caller already has too many calls waiting. */
export function tooManyConcurrentRequests(): ServiceError {
  const detail = 'Too many concurrent requests; try again in 1 second'
  return new ServiceError('resource_exhausted', 'TOO_MANY_CONCURRENT_REQUESTS', detail, {
    retryAfter: 1,
  })
}

/** Returns the error of a call that was cancelled by its client or whose deadline has passed. */
export function callCancelled(): ServiceError {
  const detail = 'The call was cancelled or its deadline has passed'
  return new ServiceError('unavailable', 'CALL_ENDED', detail, { retryAfter: 1 })
}
