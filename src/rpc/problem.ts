import { type ErrorCode, errorCodes } from '../core/error-codes.ts'
import type { ServiceError } from '../core/errors.ts'
import type { Profile } from './method.ts'

/**
 * A challenge names an error only when credentials were sent (RFC 6750, section 3). One for a newer sign-in
 * says how old it may be (RFC 9470, section 3).
 */
export function toChallenge({ reason, message, maxSignInAge }: ServiceError): string {
  if (maxSignInAge !== undefined)
    return `Bearer error="insufficient_user_authentication", error_description="${message}", max_age="${maxSignInAge}"`
  return reason.endsWith('_MISSING') ? 'Bearer realm="daikon"' : 'Bearer error="invalid_token"'
}

/**
 * AuthZEN Authorization API 1.0 and OAuth 2.0 use status 400 where other methods use 415 or 422.
 */
const badRequestStatuses: Partial<Record<ErrorCode, number>> = {
  invalid_argument: 400,
  unsupported_media_type: 400,
}

/** Returns the HTTP status of an error under the conventions of a method. */
export function httpStatus(code: ErrorCode, profile: Profile): number {
  return (profile === 'default' ? undefined : badRequestStatuses[code]) ?? errorCodes[code].http
}

/** Converts an error to problem details. */
export function toProblem(error: ServiceError, requestId: string, profile: Profile = 'default') {
  const { title } = errorCodes[error.code]
  const status = httpStatus(error.code, profile)
  return {
    type: `urn:daikon:problem:${error.code.replaceAll('_', '-')}`,
    title,
    status,
    detail: error.message,
    reason: error.reason,
    request_id: requestId,
    ...error.extensions,
    ...(error.violations.length > 0 && { errors: error.violations }),
  }
}
