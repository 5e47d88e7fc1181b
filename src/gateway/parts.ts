import { createRouteChecks } from './doctor.ts'
import { createGatewayHandlers } from './handlers.ts'
import { gatewayStores } from './store/stores.ts'

/** What decisions for API gateways run. */
export const parts = {
  stores: gatewayStores,
  createHandlers: createGatewayHandlers,
  createChecks: createRouteChecks,
}
