import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of links. */
export const reasons = defineReasons({
  LINK_NOT_FOUND: { code: 'not_found', message: 'Link not found' },
})
