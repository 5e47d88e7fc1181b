import { ServiceError } from '../core/errors.ts'

export function userNotFound(): ServiceError {
  return new ServiceError('not_found', 'USER_NOT_FOUND', 'User not found')
}

export function userInactive(): ServiceError {
  return new ServiceError('unauthenticated', 'USER_INACTIVE', 'The user is not active')
}

export function adminRequired(): ServiceError {
  return new ServiceError('permission_denied', 'NOT_ADMIN', 'The user is not an administrator')
}

/**
 * Creates the error for a workspace that the owner of a code or refresh token is not a member of.
 */
export function notAMember(): ServiceError {
  return new ServiceError('permission_denied', 'NOT_A_MEMBER', 'Not a member of this workspace')
}

export function tokenMissing(): ServiceError {
  return new ServiceError(
    'unauthenticated',
    'TOKEN_MISSING',
    'An access token is required in the authorization header: Bearer <token>',
  )
}

/** Creates the error for a session by a connection that would reach beyond its workspace. */
export function connectionSession(): ServiceError {
  return new ServiceError(
    'permission_denied',
    'CONNECTION_SESSION',
    'The session began by a connection of one workspace. Sign in otherwise for this.',
  )
}
