import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of watches. */
export const reasons = defineReasons({
  CURSOR_GONE: {
    code: 'gone',
    message:
      'The cursor is older than the retention, or the database was restored; read the current state, then begin without a cursor or with `earliest`',
  },
})
