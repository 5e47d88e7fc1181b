import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of the pipeline that every call passes. */
export const reasons = defineReasons({
  CREDENTIALS_UNKNOWN: {
    code: 'unauthenticated',
    message: 'This server supports none of the credentials that the method accepts',
  },
  RATE_LIMITED: { code: 'resource_exhausted', message: 'Rate limit exceeded' },
})
