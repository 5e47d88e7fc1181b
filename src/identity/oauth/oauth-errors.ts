import type { ErrorReason } from '../../core/define-reasons.ts'
import { ServiceError } from '../../core/errors.ts'
import { reasons } from '../reasons.ts'

/** The errors of the token, revocation and UserInfo endpoints (RFC 6749, 5.2; RFC 6750, 3.1). */
const oauthReasons = {
  invalid_request: reasons.OAUTH_INVALID_REQUEST,
  invalid_client: reasons.INVALID_CLIENT,
  invalid_grant: reasons.INVALID_GRANT,
  invalid_scope: reasons.INVALID_SCOPE,
  invalid_target: reasons.INVALID_TARGET,
  unauthorized_client: reasons.UNAUTHORIZED_CLIENT,
  unsupported_grant_type: reasons.UNSUPPORTED_GRANT_TYPE,
  insufficient_scope: reasons.INSUFFICIENT_SCOPE,
} as const satisfies Record<string, ErrorReason>

export type OAuthErrorName = keyof typeof oauthReasons

/** Returns an error that REST sends as `{"error": name, "error_description": description}`. */
export function oauthError(name: OAuthErrorName, description: string): ServiceError {
  return new ServiceError(oauthReasons[name], description)
}

/** Whether an error has a name in OAuth. */
export function isOAuthError({ reason }: ServiceError): boolean {
  return Object.hasOwn(oauthReasons, reason.toLowerCase())
}

/** Converts an error that concerns the grant to `invalid_grant`. Returns other errors unchanged. */
export function toGrantError(thrown: unknown): unknown {
  if (!(thrown instanceof ServiceError)) return thrown
  const { code, message } = thrown
  if (isOAuthError(thrown)) return thrown
  const isRefused =
    code === 'failed_precondition' || code === 'unauthenticated' || code === 'permission_denied'
  return isRefused ? oauthError('invalid_grant', message) : thrown
}
