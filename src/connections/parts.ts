import { createConnectionServices } from './connection-services.ts'
import { connectionHandlers } from './handlers.ts'
import { createConnectionJobs } from './jobs.ts'
import { reencryptConnections } from './reencrypt.ts'
import { connectionStores } from './store/stores.ts'

/** What connections run. */
export const parts = {
  stores: connectionStores,
  createServices: createConnectionServices,
  createHandlers: () => connectionHandlers,
  createJobs: createConnectionJobs,
  reencrypt: reencryptConnections,
}
