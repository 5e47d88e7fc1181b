import type { WriteContext } from '../core/request-context.ts'
import type { ClientStore } from './store/client-store.ts'

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
