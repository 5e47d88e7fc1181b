import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of the REST transport. */
export const reasons = defineReasons({
  BODY_TOO_LARGE: { code: 'payload_too_large', message: 'The body is too large' },
  ENCODING_UNSUPPORTED: {
    code: 'unsupported_media_type',
    message: 'The content encoding or charset is not supported',
  },
  HOST_NOT_ALLOWED: { code: 'failed_precondition', message: 'The Host header is not allowed' },
  METHOD_NOT_ALLOWED: { code: 'method_not_allowed', message: 'Method not allowed' },
  NOT_A_FORM: {
    code: 'unsupported_media_type',
    message: 'The body must be application/x-www-form-urlencoded',
  },
  NOT_JSON: { code: 'unsupported_media_type', message: 'The body must be application/json' },
  NO_SUCH_ROUTE: { code: 'not_found', message: 'No such route' },
  TOO_MANY_UNFINISHED_BODIES: {
    code: 'resource_exhausted',
    message: 'Too many request bodies have not arrived completely; try again in 1 second',
  },
})
