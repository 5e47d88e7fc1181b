import { emailSignInHandlers } from './handlers.ts'
import { createEmailSignInJobs } from './jobs.ts'
import { createEmailSignInServices } from './services.ts'
import { emailSignInStores } from './store/stores.ts'

/** What codes by e-mail run. */
export const parts = {
  stores: emailSignInStores,
  createServices: createEmailSignInServices,
  createHandlers: () => emailSignInHandlers,
  createJobs: createEmailSignInJobs,
}
