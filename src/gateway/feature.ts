import { gatewayEvents } from './events.ts'

/** Decisions for API gateways. */
export const gateway = {
  name: 'gateway',
  needs: ['activity', 'identity', 'permissions'],
  events: gatewayEvents,
} as const
