import { defineReasons } from './define-reasons.ts'

/** The reasons of errors of all features. */
export const reasons = defineReasons({
  CALL_ENDED: { code: 'unavailable', message: 'The call was cancelled or its deadline has passed' },
  CHANGED_SINCE_READ: {
    code: 'aborted',
    message: 'The object has changed since it was read. Read it again and repeat the change.',
  },
  ENCRYPTION_KEY_MISSING: {
    code: 'failed_precondition',
    message: 'The server has no key to encrypt secrets with. Set SECRETS_ENCRYPTION_KEY',
  },
  INTERNAL: { code: 'internal', message: 'Internal error' },
  INVALID_REQUEST: {
    code: 'invalid_argument',
    message: 'The request is not valid; the error lists every problem',
  },
  OTHER_SERVICE: {
    code: 'permission_denied',
    message: 'The service key is limited to another service',
  },
  QUOTA_EXCEEDED: { code: 'resource_exhausted', message: 'The call would exceed a quota' },
  READER_TOO_SLOW: {
    code: 'resource_exhausted',
    message: 'The reader is too slow. Continue after the last cursor that you received',
  },
  ROLE_TOO_LOW: { code: 'permission_denied', message: 'Requires a higher role in the workspace' },
  TOKEN_EXPIRED: { code: 'unauthenticated', message: 'The token has expired' },
  TOO_MANY_CONCURRENT_REQUESTS: {
    code: 'resource_exhausted',
    message: 'Too many concurrent requests; try again in 1 second',
  },
  TOO_MANY_WATCHES: {
    code: 'resource_exhausted',
    message: 'Too many watches are open; close one, or try again later',
  },
})
