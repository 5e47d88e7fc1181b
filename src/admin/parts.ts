import { adminHandlers } from './handlers.ts'
import { adminStores } from './store/stores.ts'

/** What administration runs. */
export const parts = {
  stores: adminStores,
  createHandlers: () => adminHandlers,
}
