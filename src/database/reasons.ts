import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of the database. */
export const reasons = defineReasons({
  LOCK_TIMEOUT: {
    code: 'unavailable',
    message: 'Another transaction is changing the same data; try again',
  },
  ROLLOUT_IN_PROGRESS: {
    code: 'already_exists',
    message: 'The change is refused while an older node is connected to the database',
  },
  STORAGE_UNAVAILABLE: { code: 'unavailable', message: 'The database is not available' },
})
