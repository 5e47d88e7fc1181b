import type { Response } from 'express'
import { type ErrorCode, errorCodes } from '../core/error-codes.ts'
import type { ServiceError } from '../core/errors.ts'

/** The OAuth error of each reason that has one (RFC 6749, 5.2; RFC 6750, 3.1; RFC 7009, 2.2.1; RFC 8707, 2). */
const oauthErrors: Record<string, string> = {
  INVALID_REQUEST: 'invalid_request',
  INVALID_CLIENT: 'invalid_client',
  INVALID_GRANT: 'invalid_grant',
  INVALID_SCOPE: 'invalid_scope',
  INVALID_TARGET: 'invalid_target',
  UNAUTHORIZED_CLIENT: 'unauthorized_client',
  UNSUPPORTED_GRANT_TYPE: 'unsupported_grant_type',
  INSUFFICIENT_SCOPE: 'insufficient_scope',
}

/** The OAuth error of all other reasons, by error code. */
const errorsByCode: Partial<Record<ErrorCode, string>> = {
  unauthenticated: 'invalid_token',
  permission_denied: 'access_denied',
  resource_exhausted: 'temporarily_unavailable',
  unavailable: 'temporarily_unavailable',
  internal: 'server_error',
}

/** Characters that `error_description` must not contain (RFC 6749, 5.2). */
const forbiddenCharacters = /[^\x20\x21\x23-\x5b\x5d-\x7e]/g

/** The body of an error response of the OAuth endpoints. */
export type OAuthError = { error: string; error_description: string }

/** Converts an error to the body of an error response. */
export function toOAuthError({ reason, code, message }: ServiceError): OAuthError {
  const error = oauthErrors[reason] ?? errorsByCode[code] ?? 'invalid_request'
  return { error, error_description: message.replace(forbiddenCharacters, "'") }
}

/** Sends an error in the format of RFC 6749, section 5.2. */
export function sendOAuthError(response: Response, error: ServiceError): void {
  const body = toOAuthError(error)
  const { http } = errorCodes[error.code]
  const status = http === 422 || http === 415 ? 400 : http
  if (status === 401 || body.error === 'insufficient_scope') {
    response.set('WWW-Authenticate', toChallenge(error, body))
  }
  if (error.retryAfter !== undefined) response.set('Retry-After', String(error.retryAfter))
  response.set('Pragma', 'no-cache')
  response.status(status).json(body)
}

function toChallenge({ reason }: ServiceError, { error, error_description }: OAuthError): string {
  if (error === 'invalid_client') return 'Basic realm="daikon"'
  if (reason.endsWith('_MISSING')) return 'Bearer realm="daikon"'
  return `Bearer error="${error}", error_description="${error_description}"`
}
