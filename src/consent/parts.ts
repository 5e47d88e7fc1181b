import { consentHandlers } from './handlers.ts'
import { ConsentStore } from './store/consent-store.ts'

/** What consents run. */
export const parts = {
  stores: { consents: ConsentStore },
  createHandlers: () => consentHandlers,
}
