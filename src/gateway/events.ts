import type { EventTable } from '../activity/events.ts'

/** The events of routes. */
export const gatewayEvents = {
  'service_routes.replaced': {
    target: 'service_routes',
    detail: ['service_name', 'routes', 'added', 'removed'],
    description:
      'A service replaced the routes by which gateways protect it; counts the routes, and lists up to 20 that were added and up to 20 that were removed, or `none`',
    recordedBy: ['putRoutes'],
  },
} as const satisfies EventTable

type GatewayEvents = typeof gatewayEvents

declare module '../activity/events.ts' {
  interface ActivityEvents extends GatewayEvents {}
}
