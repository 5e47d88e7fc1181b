import type { Transactional } from '../core/request-context.ts'
import type { ConsentStore } from './store/consent-store.ts'

/** How many clients a call deletes at most. */
export const maxForgotten = 100

/**
 * Deletes clients that nobody registered and to which no consent is left: nothing is stored of them. Returns how
 * many it looked at.
 */
export function forgetClients(stores: Transactional<{ consents: ConsentStore }>): Promise<number> {
  return stores.transaction(async (tx) => {
    const ids = await tx.consents.lockUnusedExternal(maxForgotten)
    if (ids.length > 0) await tx.consents.deleteUnusedExternal(ids)
    return ids.length
  })
}
