import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of the pipeline that every call passes. */
export const reasons = defineReasons({
  ADMINISTRATOR_REQUIRED: {
    code: 'permission_denied',
    message: 'Management apps cannot call this method',
  },
  API_KEY_NOT_ACCEPTED: {
    code: 'permission_denied',
    message: 'Service accounts cannot call this method. Use the access token of a person.',
  },
  ORIGIN_REFUSED: {
    code: 'permission_denied',
    message: 'Requests from this origin are not allowed',
  },
  OTHER_WORKSPACE: {
    code: 'permission_denied',
    message: 'The token was issued for another workspace',
  },
  RATE_LIMITED: { code: 'resource_exhausted', message: 'Rate limit exceeded' },
  SCOPE_MISSING: {
    code: 'permission_denied',
    message: 'The management app lacks the scope of the method',
  },
})
