import { defineReasons } from '../core/define-reasons.ts'

/** The reasons of errors of connections. */
export const reasons = defineReasons({
  CONNECTION_NOT_FOUND: { code: 'not_found', message: 'Connection not found' },
  DNS_UNAVAILABLE: { code: 'unavailable', message: 'DNS did not respond; try again' },
  DOMAIN_NOT_FOUND: { code: 'not_found', message: 'The connection does not have this domain' },
  DOMAIN_NOT_PROVEN: {
    code: 'already_exists',
    message: 'The domain lacks the TXT record. New records can take hours to appear.',
  },
  DOMAIN_TAKEN: {
    code: 'already_exists',
    message: 'Another connection has verified the domain. It must remove the domain first.',
  },
  ENFORCEMENT_NOT_READY: {
    code: 'already_exists',
    message:
      'Enforcing a connection requires a verified domain and a sign-in through the connection within the last day, with its current provider',
  },
  TOO_MANY_CONNECTIONS: {
    code: 'resource_exhausted',
    message: 'The workspace has too many connections',
  },
})
