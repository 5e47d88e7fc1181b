import type { CentralSettings } from '../config/settings.ts'
import type { LogFailure } from '../core/log-failure.ts'
import { createSemaphore } from '../core/semaphore.ts'
import type { Database } from '../database/database.ts'
import { mailFailure, type SendMail } from '../outbound/mail-client.ts'
import { createOutboundClient } from '../outbound/outbound-client.ts'
import { createFindApiKey } from './api-keys.ts'
import { createBackchannelHosts } from './backchannel-hosts.ts'
import { createBrowserCookies } from './browser-cookie.ts'
import type { IdentityDependencies } from './identity-dependencies.ts'
import { logoutFailure } from './jobs.ts'
import { lifetimesOf } from './lifetimes.ts'
import { createLogoutSender } from './oauth/logout-notifications.ts'
import { createProofs } from './proofs.ts'
import { addOwnMethods, type OwnMethod } from './providers/own-methods.ts'
import type { Provider, ProviderName } from './providers/provider.ts'
import { createClientOrigins } from './redirect-uris.ts'
import type { IdentitySettings } from './settings.ts'
import { createStateCookies } from './state-cookie.ts'
import { LogoutQueueStore } from './store/logout-queue-store.ts'
import { createTokenMemory } from './token-memory.ts'
import { createTokens } from './tokens.ts'

export type IdentityServiceDependencies = Pick<
  IdentityDependencies,
  'currentKeys' | 'onSignIn' | 'onReplay'
> & {
  providers: Map<ProviderName, Provider>
  database: Pick<Database, 'fork' | 'reads' | 'statements'>
  settings: IdentitySettings & CentralSettings
  /** The methods of daikon's own that the features bring. */
  ownMethods: readonly OwnMethod[]
  now: () => Date
  /** Undefined if no mail server is configured. */
  sendMail: SendMail | undefined
  logFailure: LogFailure
  warn: (text: string) => void
}

/** The maximum number of sign-ins in a transaction at the same time. */
const maxSignInTransactions = 5

/** Creates what signs users in, and issues and verifies tokens. */
export function createIdentityServices(dependencies: IdentityServiceDependencies) {
  const { currentKeys, providers, onSignIn, onReplay, database, settings, now } = dependencies
  const { sendMail, logFailure, warn, ownMethods } = dependencies
  const tokens = createTokens({
    currentKeys,
    issuer: settings.BASE_URL,
    now,
    // ID tokens live as long as the access tokens that they are issued with.
    hintSeconds: lifetimesOf(settings).access,
    debug: settings.DEBUG,
  })
  const backchannelHosts = createBackchannelHosts(settings)
  const proofs = createProofs(settings.SESSION_SECRET_KEY, now)
  type Brought = 'accountUrl' | 'connectionProviders' | 'externalClients'
  const identity: Omit<IdentityDependencies, Brought> = {
    currentKeys,
    tokens,
    stateCookies: createStateCookies(settings.SESSION_SECRET_KEY, now),
    browserCookies: createBrowserCookies(settings.SESSION_SECRET_KEY, now),
    providers: addOwnMethods(providers, ownMethods, settings, proofs),
    proofs,
    clock: now,
    limitTransactions: createSemaphore(maxSignInTransactions),
    sendMail: (mail) => void sendMail?.(mail).catch(logFailure(mailFailure)),
    onSignIn,
    onReplay,
    settings,
  }
  return {
    identity,
    tokens,
    tokenMemory: createTokenMemory(tokens, settings.MAX_TOKEN_CACHE_BYTES),
    findApiKey: createFindApiKey(database.reads),
    isClientOrigin: createClientOrigins(database.statements),
    backchannelHosts,
    logoutSender: createLogoutSender({
      openQueue: () => new LogoutQueueStore(database.fork()),
      tokens,
      hosts: backchannelHosts,
      send: createOutboundClient(backchannelHosts),
      now,
      onFailure: logFailure(logoutFailure),
      warn,
    }),
  }
}
