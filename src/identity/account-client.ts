import type { Transactional } from '../core/request-context.ts'
import { accountClientId, type ClientStore } from './store/client-store.ts'

/** Registers the client app of the account page. */
export function registerAccountClient(
  stores: Transactional<{ clients: ClientStore }>,
  baseUrl: string,
): Promise<void> {
  return stores.transaction((tx) =>
    tx.clients.saveBuiltIn(accountClientId, 'Your account', `${baseUrl}/account/callback`),
  )
}
