import { ConsentStore } from './store/consent-store.ts'

/** What consents run. */
export const parts = {
  stores: { consents: ConsentStore },
  createHandlers: () => ({}),
}
