import type { Transactional } from '../core/request-context.ts'
import type { ConsoleClientStore } from './store/console-client-store.ts'

/** Registers the client app of the workspace console at the address of the console. */
export async function registerConsoleClient(
  stores: Transactional<{ consoleClient: ConsoleClientStore }>,
  adminUrl: string,
): Promise<void> {
  const redirectUri = `${new URL(adminUrl).origin}/w/callback`
  await stores.transaction((tx) =>
    tx.consoleClient.save({ name: 'Workspace console', redirectUri }),
  )
}
