import { csvImportHandlers } from './handlers.ts'
import { csvImportStores } from './store/stores.ts'

/** What imports run. */
export const parts = {
  stores: csvImportStores,
  createHandlers: () => csvImportHandlers,
}
