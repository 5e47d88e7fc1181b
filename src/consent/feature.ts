import { consentEvents } from './events.ts'
import { consentPorts } from './provided-ports.ts'
import { reasons } from './reasons.ts'

/** The consents of users to the access of apps. */
export const consent = {
  name: 'consent',
  needs: ['activity', 'admin', 'identity'],
  events: consentEvents,
  ports: consentPorts,
  reasons,
  load: async () => (await import('./parts.ts')).parts,
} as const
