import { gatewayEvents } from './events.ts'
import { reasons } from './reasons.ts'

/** Decisions for API gateways. */
export const gateway = {
  name: 'gateway',
  needs: ['activity', 'identity', 'permissions'],
  events: gatewayEvents,
  reasons,
  load: async () => (await import('./parts.ts')).parts,
} as const
