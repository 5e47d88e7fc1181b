import { noConnectionProviders, noExternalClients, noResourceServices } from './default-ports.ts'
import { createAccountChecks } from './doctor.ts'
import { identityHandlers } from './handlers.ts'
import { createIdentityJobs } from './jobs.ts'
import { noteNoUse } from './note-delegation-use.ts'
import type { LogoutSender } from './oauth/logout-notifications.ts'
import { createIdentityServices } from './services.ts'
import { identityStores } from './store/stores.ts'
import { noTokenExchange } from './token-exchange.ts'

/** What sign-in and tokens run. */
export const parts = {
  stores: identityStores,
  defaultServices: {
    accountUrl: undefined as string | undefined,
    connectionProviders: noConnectionProviders,
    externalClients: noExternalClients,
    noteDelegationUse: noteNoUse,
    resourceServices: noResourceServices,
    tokenExchange: noTokenExchange,
  },
  createServices: createIdentityServices,
  createHandlers: () => identityHandlers,
  createJobs: createIdentityJobs,
  createChecks: createAccountChecks,
  stop: ({ logoutSender }: { logoutSender: LogoutSender }) => logoutSender.stop(),
}
