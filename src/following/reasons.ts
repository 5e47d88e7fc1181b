import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of watches. */
export const reasons = defineReasons({
  CURSOR_GONE: {
    code: 'gone',
    message:
      'The cursor is older than the retention, or the database was restored; read the current state, then begin without a cursor or with `earliest`',
  },
  READER_TOO_SLOW: {
    code: 'resource_exhausted',
    message: 'The reader is too slow. Continue after the last cursor that you received',
  },
  TOO_MANY_WATCHES: {
    code: 'resource_exhausted',
    message: 'Too many watches are open; close one, or try again later',
  },
})
