/** A problem with one field of a request. */
export type Field = { field: string; message: string }

/** The gRPC status of an error, in snake_case. */
export type ErrorCode =
  | 'cancelled'
  | 'unknown'
  | 'invalid_argument'
  | 'deadline_exceeded'
  | 'not_found'
  | 'already_exists'
  | 'permission_denied'
  | 'resource_exhausted'
  | 'failed_precondition'
  | 'aborted'
  | 'out_of_range'
  | 'unimplemented'
  | 'internal'
  | 'unavailable'
  | 'data_loss'
  | 'unauthenticated'

export type ErrorDetails = {
  fields?: Field[] | undefined
  requestId?: string | undefined
  retryAfterMs?: number | undefined
  cause?: unknown
}

/**
 * The base class of all errors that operations throw. Programs should compare `code` and `reason`;
 * `message` is meant for people and may change.
 */
export class DaikonError extends Error {
  /** The kind of error. */
  readonly code: ErrorCode
  /** A stable identifier of the cause, such as `RESOURCE_NOT_FOUND`. */
  readonly reason: string
  /** All invalid fields of an `invalid_argument` error. */
  readonly fields: Field[]
  /** The ID under which the server logged the request. */
  readonly requestId: string | undefined
  /** Milliseconds after which a retry may succeed. */
  readonly retryAfterMs: number | undefined

  constructor(code: ErrorCode, reason: string, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = new.target.name
    this.code = code
    this.reason = reason
    this.fields = details.fields ?? []
    this.requestId = details.requestId
    this.retryAfterMs = details.retryAfterMs
  }
}

/** The service key or access token is missing, invalid or expired. */
export class UnauthenticatedError extends DaikonError {
  constructor(reason: string, message: string, details?: ErrorDetails) {
    super('unauthenticated', reason, message, details)
  }
}

/** An access token is malformed, expired, or not signed by this daikon. */
export class InvalidTokenError extends UnauthenticatedError {}

/** The user is not allowed to make the change, or the key belongs to another service. */
export class PermissionDeniedError extends DaikonError {
  constructor(reason: string, message: string, details?: ErrorDetails) {
    super('permission_denied', reason, message, details)
  }
}

/** The resource, workspace, grantee or share does not exist. */
export class NotFoundError extends DaikonError {
  constructor(reason: string, message: string, details?: ErrorDetails) {
    super('not_found', reason, message, details)
  }
}

/** An argument is missing or malformed; `fields` lists each one. */
export class InvalidArgumentError extends DaikonError {
  constructor(reason: string, message: string, details?: ErrorDetails) {
    super('invalid_argument', reason, message, details)
  }
}

/** The cursor of a watch is older than the retention, or from before a restore of the database. */
export class CursorGoneError extends DaikonError {
  constructor(reason: string, message: string, details?: ErrorDetails) {
    super('out_of_range', reason, message, details)
  }
}

/** daikon cannot be reached, or cannot reach its database. */
export class UnavailableError extends DaikonError {
  constructor(
    reason = 'UNREACHABLE',
    message = 'daikon is not available',
    details: ErrorDetails = {},
  ) {
    super('unavailable', reason, message, details)
  }
}

/** The deadline passed before the operation finished. */
export class DeadlineExceededError extends DaikonError {
  constructor(message = 'The deadline passed', details: ErrorDetails = {}) {
    super('deadline_exceeded', 'DEADLINE_EXCEEDED', message, details)
  }
}

/** The caller cancelled the operation with its `signal`, or closed the client. */
export class CancelledError extends DaikonError {
  constructor(message = 'The operation was cancelled', details: ErrorDetails = {}) {
    super('cancelled', 'CANCELLED', message, details)
  }
}

const subclasses = {
  unauthenticated: UnauthenticatedError,
  permission_denied: PermissionDeniedError,
  not_found: NotFoundError,
  invalid_argument: InvalidArgumentError,
  out_of_range: CursorGoneError,
  unavailable: UnavailableError,
}

/** Creates an error of the class for the code. */
export function createError(
  code: ErrorCode,
  reason: string,
  message: string,
  details: ErrorDetails = {},
): DaikonError {
  if (code === 'deadline_exceeded') return new DeadlineExceededError(message, details)
  if (code === 'cancelled') return new CancelledError(message, details)
  if (code in subclasses) {
    const Subclass = subclasses[code as keyof typeof subclasses]
    return new Subclass(reason, message, details)
  }
  return new DaikonError(code, reason, message, details)
}

/** Creates the error for arguments that are missing or malformed. */
export function invalidArgument(...fields: Field[]): InvalidArgumentError {
  return new InvalidArgumentError('INVALID_REQUEST', describeFields(fields), { fields })
}

/** The maximum number of fields that a message describes. */
const maxDescribed = 10

/** Returns the message of an error with fields. */
export function describeFields(fields: readonly Field[]): string {
  const sentences = fields.map(({ field, message }) => (field ? `${field} ${message}` : message))
  return sentences.slice(0, maxDescribed).join('; ')
}

/** Creates the error for an aborted signal. */
export function abortError({ reason }: AbortSignal): DaikonError {
  const isTimeout = reason instanceof Error && reason.name === 'TimeoutError'
  if (isTimeout) return new DeadlineExceededError('The signal timed out', { cause: reason })
  return new CancelledError('The operation was cancelled by its signal', { cause: reason })
}

/** Creates the error for operations on a closed client. */
export function closedError(): CancelledError {
  return new CancelledError('The client was closed. Call close() only when it is no longer needed')
}
