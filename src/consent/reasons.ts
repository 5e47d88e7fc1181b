import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of consents. */
export const reasons = defineReasons({
  GRANT_NOT_FOUND: { code: 'not_found', message: 'Grant not found' },
  CONSENT_FORM_REFUSED: {
    code: 'permission_denied',
    message: 'The form has expired, was used before, or belongs to another request or user',
  },
})
