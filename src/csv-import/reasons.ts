import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of imports. */
export const reasons = defineReasons({
  CHANGED_MEANWHILE: {
    code: 'already_exists',
    message:
      'A workspace, group or user named in the file was changed during the import. Import the file again.',
  },
  FILE_TOO_LARGE: { code: 'payload_too_large', message: 'The file is too large' },
  ROWS_HAVE_ERRORS: { code: 'invalid_argument', message: 'Rows of the file have errors' },
})
