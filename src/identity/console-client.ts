import type { WriteContext } from '../core/request-context.ts'
import type { ClientStore } from './store/client-store.ts'

/**
 * The ID of the client app by which users sign in to the workspace console. Administrators neither
 * see nor change it.
 */
export const consoleClientId = '0da1c000-0000-7000-8000-000000000001'

/** Registers the client app of the workspace console at the address of the console. */
export async function registerConsoleClient(
  stores: WriteContext<{ clients: ClientStore }>['stores'],
  adminUrl: string,
): Promise<void> {
  const redirectUri = `${new URL(adminUrl).origin}/w/callback`
  await stores.transaction((tx) =>
    tx.clients.saveConsole({ name: 'Workspace console', redirectUri }),
  )
}
