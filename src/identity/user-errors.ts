import { ServiceError } from '../core/errors.ts'
import { reasons } from './reasons.ts'

export function userNotFound(): ServiceError {
  return new ServiceError(reasons.USER_NOT_FOUND)
}

export function userInactive(): ServiceError {
  return new ServiceError(reasons.USER_INACTIVE)
}

export function adminRequired(): ServiceError {
  return new ServiceError(reasons.NOT_ADMIN)
}

/**
 * Creates the error for a workspace that the owner of a code or refresh token is not a member of.
 */
export function notAMember(): ServiceError {
  return new ServiceError(reasons.NOT_A_MEMBER)
}

export function tokenMissing(): ServiceError {
  return new ServiceError(reasons.TOKEN_MISSING)
}

/** Creates the error for a token that is limited to an API and used elsewhere. */
export function wrongAudience(): ServiceError {
  return new ServiceError(reasons.WRONG_AUDIENCE)
}

/** Creates the error for a token by which an agent acts for a user, where only the user may act. */
export function delegatedTokenRefused(): ServiceError {
  return new ServiceError(reasons.DELEGATED_TOKEN_NOT_ACCEPTED)
}

/** Creates the error for a sign-in past the connection that a workspace enforces. */
export function connectionRequired(): ServiceError {
  return new ServiceError(reasons.CONNECTION_REQUIRED)
}

/** Creates the error for a session by a code in a workspace that refuses these. */
export function signInTooWeak(): ServiceError {
  return new ServiceError(reasons.SIGN_IN_TOO_WEAK)
}

/** Creates the error for a session through a connection that would reach beyond its workspace. */
export function connectionSession(): ServiceError {
  return new ServiceError(reasons.CONNECTION_SESSION)
}
