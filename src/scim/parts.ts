import { scimHandlers } from './handlers.ts'
import { scimStores } from './store/stores.ts'

/** What SCIM runs. */
export const parts = {
  stores: scimStores,
  createHandlers: () => scimHandlers,
}
