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
