import { type ErrorCode, ServiceError } from '../../core/errors.ts'

/** The errors of the token, revocation and UserInfo endpoints (RFC 6749, 5.2; RFC 6750, 3.1). */
const codes = {
  invalid_request: 'failed_precondition',
  invalid_client: 'unauthenticated',
  invalid_grant: 'failed_precondition',
  invalid_scope: 'failed_precondition',
  unauthorized_client: 'failed_precondition',
  unsupported_grant_type: 'failed_precondition',
  insufficient_scope: 'permission_denied',
} as const satisfies Record<string, ErrorCode>

export type OAuthErrorName = keyof typeof codes

/** Returns an error that REST sends as `{"error": name, "error_description": description}`. */
export function oauthError(name: OAuthErrorName, description: string): ServiceError {
  return new ServiceError(codes[name], name.toUpperCase(), description)
}

/** Converts an error that concerns the grant to `invalid_grant`. Returns other errors unchanged. */
export function toGrantError(thrown: unknown): unknown {
  if (!(thrown instanceof ServiceError)) return thrown
  const { code, reason, message } = thrown
  if (Object.hasOwn(codes, reason.toLowerCase())) return thrown
  const isRefused =
    code === 'failed_precondition' || code === 'unauthenticated' || code === 'permission_denied'
  return isRefused ? oauthError('invalid_grant', message) : thrown
}
