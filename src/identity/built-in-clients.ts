import type { WriteContext } from '../core/request-context.ts'
import { accountClientId, type ClientStore, consoleClientId } from './store/client-store.ts'

type Stores = WriteContext<{ clients: ClientStore }>['stores']

/** Registers the client app of the workspace console at the address of the console. */
export function registerConsoleClient(stores: Stores, adminUrl: string): Promise<void> {
  const redirectUri = `${new URL(adminUrl).origin}/w/callback`
  return stores.transaction((tx) =>
    tx.clients.saveBuiltIn(consoleClientId, 'Workspace console', redirectUri),
  )
}

/** Registers the client app of the account page. */
export function registerAccountClient(stores: Stores, baseUrl: string): Promise<void> {
  return stores.transaction((tx) =>
    tx.clients.saveBuiltIn(accountClientId, 'Your account', `${baseUrl}/account/callback`),
  )
}
