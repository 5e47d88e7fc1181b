import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of the account page. */
export const reasons = defineReasons({
  BROWSER_SESSION_REQUIRED: {
    code: 'permission_denied',
    message: 'The browser is not signed in as the user of the token',
  },
  PROVIDER_UNAVAILABLE: {
    code: 'unavailable',
    message: 'The identity provider could not be reached in time',
  },
})
