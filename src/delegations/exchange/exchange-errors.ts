import type { ServiceError } from '../../core/errors.ts'
import { oauthError } from '../../identity/oauth/oauth-errors.ts'

export function invalidRequest(description: string): ServiceError {
  return oauthError('invalid_request', description)
}

/**
 * Creates the error for tokens and delegations that are unknown, have ended, belong to others or do not fit
 * each other (RFC 8693, 2.2.2). It does not say which, so that agents learn nothing about others.
 */
export function exchangeRefused(): ServiceError {
  return invalidRequest(
    'The subject token, actor token or delegation is not valid, has ended, belongs to another or does not fit the others',
  )
}
