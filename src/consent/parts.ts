import { consentHandlers } from './handlers.ts'
import { createConsentJobs } from './jobs.ts'
import { ConsentStore } from './store/consent-store.ts'

/** What consents run. */
export const parts = {
  stores: { consents: ConsentStore },
  createHandlers: () => consentHandlers,
  createJobs: createConsentJobs,
}
