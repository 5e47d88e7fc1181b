import { createAccessKeyHandlers } from './handlers.ts'
import { createAccessKeyJobs } from './jobs.ts'
import { createAccessKeyServices } from './services.ts'
import { accessKeyStores } from './store/stores.ts'

/** What access keys run. */
export const parts = {
  stores: accessKeyStores,
  createServices: createAccessKeyServices,
  createHandlers: createAccessKeyHandlers,
  createJobs: createAccessKeyJobs,
}
