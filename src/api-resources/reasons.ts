import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of API resources. */
export const reasons = defineReasons({
  API_RESOURCE_EXISTS: {
    code: 'already_exists',
    message: 'Another service app has an API resource with this URI',
  },
})
