import { createAccessKeyHandlers } from './handlers.ts'
import { accessKeyStores } from './store/stores.ts'

/** What access keys run. */
export const parts = {
  stores: accessKeyStores,
  createHandlers: createAccessKeyHandlers,
}
