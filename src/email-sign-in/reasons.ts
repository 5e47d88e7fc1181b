import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of codes by e-mail. */
export const reasons = defineReasons({
  METHOD_UNAVAILABLE: {
    code: 'unavailable',
    message: 'The identity provider could not be reached in time',
  },
  TOO_MANY_WRONG_CODES: {
    code: 'resource_exhausted',
    message: 'Too many wrong codes were typed at this IP address',
  },
})
