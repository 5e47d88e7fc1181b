/** A problem with one argument or field of a request. */
export type Field = { field: string; message: string }

/** The kind of an error. The other client libraries use the same codes. */
export type ErrorCode =
  | 'already_exists'
  | 'deadline_exceeded'
  | 'failed_precondition'
  | 'internal'
  | 'invalid_argument'
  | 'not_found'
  | 'permission_denied'
  | 'resource_exhausted'
  | 'unauthenticated'
  | 'unavailable'

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
  /** A stable identifier of the cause, such as `NOT_SIGNED_IN`. */
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

/** No user is signed in (`NOT_SIGNED_IN`), or daikon rejected the access token. */
export class UnauthenticatedError extends DaikonError {
  constructor(reason: string, message: string, details?: ErrorDetails) {
    super('unauthenticated', reason, message, details)
  }
}

/** The session has ended, and the user must sign in again. */
export class SessionEndedError extends UnauthenticatedError {}

/**
 * A sign-in failed. `reason` is the OAuth error in upper case, such as `ACCESS_DENIED` or
 * `LOGIN_REQUIRED`, or one of `STATE_MISMATCH`, `ISSUER_MISMATCH` and `ID_TOKEN_INVALID`.
 */
export class SignInError extends DaikonError {
  constructor(reason: string, message: string, details?: ErrorDetails) {
    super('failed_precondition', reason, message, details)
  }
}

/** The user is not allowed to do this, for example to switch to a workspace of other users. */
export class PermissionDeniedError extends DaikonError {
  constructor(reason: string, message: string, details?: ErrorDetails) {
    super('permission_denied', reason, message, details)
  }
}

/** An option or argument is missing or malformed; `fields` lists each one. */
export class InvalidArgumentError extends DaikonError {
  constructor(reason: string, message: string, details?: ErrorDetails) {
    super('invalid_argument', reason, message, details)
  }
}

/** daikon cannot be reached, or cannot reach its database. */
export class UnavailableError extends DaikonError {
  constructor(reason: string, message: string, details?: ErrorDetails) {
    super('unavailable', reason, message, details)
  }
}

const subclasses = {
  invalid_argument: InvalidArgumentError,
  permission_denied: PermissionDeniedError,
  unauthenticated: UnauthenticatedError,
  unavailable: UnavailableError,
}

/** Creates an error of the class for the code. */
export function createError(
  code: ErrorCode,
  reason: string,
  message: string,
  details: ErrorDetails = {},
): DaikonError {
  if (code in subclasses) {
    const Subclass = subclasses[code as keyof typeof subclasses]
    return new Subclass(reason, message, details)
  }
  return new DaikonError(code, reason, message, details)
}

/** Creates the error for arguments that are missing or malformed. */
export function invalidArgument(...fields: Field[]): InvalidArgumentError {
  const message = fields.map(({ field, message }) => `${field} ${message}`).join('; ')
  return new InvalidArgumentError('INVALID_REQUEST', message, { fields })
}

export function notSignedIn(): UnauthenticatedError {
  return new UnauthenticatedError('NOT_SIGNED_IN', 'No user is signed in: call signIn()')
}

/** Returns a DaikonError unchanged, and wraps any other thrown value in one. */
export function toDaikonError(thrown: unknown): DaikonError {
  if (thrown instanceof DaikonError) return thrown
  const message = thrown instanceof Error ? thrown.message : String(thrown)
  return new DaikonError('internal', 'INTERNAL', message, { cause: thrown })
}
