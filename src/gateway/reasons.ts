import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of the authorization of requests at a gateway. */
export const reasons = defineReasons({
  ACCESS_DENIED: { code: 'permission_denied', message: 'The user may not perform the action' },
  DELEGATION_DENIED: {
    code: 'permission_denied',
    message: 'The delegation by which an agent acts for the user does not allow the request',
  },
  PATH_AMBIGUOUS: {
    code: 'permission_denied',
    message: 'The path of the request could be read in more than one way',
  },
  ROUTE_UNKNOWN: {
    code: 'permission_denied',
    message: 'No route of the service matches the method and the path of the request',
  },
  SERVICE_UNKNOWN: {
    code: 'failed_precondition',
    message: 'Routes require a service key: create a service app and send its key in x-service-key',
  },
})
