import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of passkeys. */
export const reasons = defineReasons({
  PASSKEY_NOT_FOUND: { code: 'not_found', message: 'Passkey not found' },
  PASSKEY_REFUSED: {
    code: 'failed_precondition',
    message: 'The response of the authenticator is not valid',
  },
  PASSKEY_TAKEN: { code: 'already_exists', message: 'The passkey exists already' },
  PASSKEY_UNKNOWN: {
    code: 'failed_precondition',
    message: 'The passkey is not known here. It may have been removed from the account.',
  },
  TOO_MANY_PASSKEYS: {
    code: 'resource_exhausted',
    message: 'The user has too many passkeys (MAX_PASSKEYS_PER_USER)',
  },
})
