import type { Transactional } from '../core/request-context.ts'
import { type ClientStore, consoleClientId } from '../identity/store/client-store.ts'

/** Registers the client app of the workspace console at the address of the console. */
export function registerConsoleClient(
  stores: Transactional<{ clients: ClientStore }>,
  adminUrl: string,
): Promise<void> {
  const redirectUri = `${new URL(adminUrl).origin}/w/callback`
  return stores.transaction((tx) =>
    tx.clients.saveBuiltIn(consoleClientId, 'Workspace console', redirectUri),
  )
}
