import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of access keys. */
export const reasons = defineReasons({
  SUBJECT_REQUIRED: {
    code: 'unauthenticated',
    message: 'Requires an access token or a subject',
  },
  TOO_MANY_HOLDERS: {
    code: 'failed_precondition',
    message: 'The subject has more than 20,000 access keys; use Accessible instead',
  },
  DELEGATION_NOT_SUPPORTED: {
    code: 'failed_precondition',
    message: 'Access keys are not available to agents; use Accessible instead',
  },
})
