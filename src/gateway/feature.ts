import { gatewayEvents } from './events.ts'
import { reasons } from './reasons.ts'

/** Decisions for API gateways. */
export const gateway = {
  name: 'gateway',
  needs: ['activity', 'identity', 'permissions'],
  events: gatewayEvents,
  reasons,
} as const
