import { RouteStore } from './route-store.ts'

/** The stores of the feature, by the name under which handlers use them. */
export const gatewayStores = {
  routes: RouteStore,
}
