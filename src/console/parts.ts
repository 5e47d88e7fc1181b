import { startConsole } from './start-console.ts'
import { consoleStores } from './store/stores.ts'

/** What the admin console runs. */
export const parts = {
  stores: consoleStores,
  createHandlers: () => ({}),
  startServer: startConsole,
}
