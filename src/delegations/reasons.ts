import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of delegations. */
export const reasons = defineReasons({
  AGENT_NOT_FOUND: { code: 'not_found', message: 'Agent not found' },
  DELEGATION_NOT_FOUND: { code: 'not_found', message: 'Delegation not found' },
  DELEGATIONS_OFF: {
    code: 'permission_denied',
    message: 'The workspace does not allow delegations',
  },
})
