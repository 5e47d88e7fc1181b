import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { CentralSettings } from '../config/settings.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { Semaphore } from '../core/semaphore.ts'
import type { Mail } from '../outbound/mail-client.ts'
import type { BrowserCookies } from './browser-cookie.ts'
import type { Keys } from './keys.ts'
import type { ConnectionProviderSource, ExternalClients, IdentityPorts } from './ports.ts'
import type { Proofs } from './providers/own-methods.ts'
import type { Provider, SignInMethodName } from './providers/provider.ts'
import type { IdentitySettings } from './settings.ts'
import type { Flow, StateCookies } from './state-cookie.ts'
import type { AccountStore } from './store/account-store.ts'
import type { BrowserSessionStore } from './store/browser-session-store.ts'
import type { ClaimsStore } from './store/claims-store.ts'
import type { ClientStore } from './store/client-store.ts'
import type { CodeStore } from './store/code-store.ts'
import type { ManagementAppStore } from './store/management-app-store.ts'
import type { RevocationStore } from './store/revocation-store.ts'
import type { SessionStore } from './store/session-store.ts'
import type { UserStore } from './store/user-store.ts'
import type { Tokens } from './tokens.ts'

/** The outcome of a login. */
export type SignInOutcome = {
  flow: Flow
  provider: SignInMethodName | 'connection' | 'unknown'
  /**
   * `ok`, an error such as `email_not_verified`, the reason of a ServiceError in lower case, or `wrong_code`
   * before a callback.
   */
  outcome: string
}

/** The secrets that can be used only once. */
export const replayedSecrets = [
  'refresh_token',
  'authorization_code',
  'sign_in_state',
  'passkey_challenge',
] as const

export type ReplayedSecret = (typeof replayedSecrets)[number]

/** The dependencies of the handlers that sign users in or issue tokens. */
export type IdentityDependencies = {
  /** The keys, which may be replaced while the server runs. */
  currentKeys: () => Keys
  tokens: Tokens
  stateCookies: StateCookies
  browserCookies: BrowserCookies
  providers: Map<SignInMethodName, Provider>
  proofs: Proofs
  /** The providers of workspaces' connections. */
  connectionProviders: ConnectionProviderSource
  /** The URL of the account page, if there is one. */
  accountUrl: string | undefined
  externalClients: ExternalClients
  /** Returns the current time. The `now` of a request is earlier if the request has waited. */
  clock: () => Date
  /**
   * Limits the number of concurrent transactions of sign-ins. Far more sign-ins are admitted than
   * there are database connections, because most of them wait for an identity provider and need no
   * connection.
   */
  limitTransactions: Semaphore
  /** Sends an e-mail in the background, if a mail server is configured. */
  sendMail: (mail: Mail) => void
  /** Called once for each callback of a login and each wrong code, for metrics. */
  onSignIn: (signIn: SignInOutcome) => void
  /** Called whenever a secret is presented again after its use, for metrics. */
  onReplay: (secret: ReplayedSecret) => void
  settings: IdentitySettings & CentralSettings
}

/** The stores and ports of the handlers that sign users in or issue tokens. */
export type IdentityStores = IdentityPorts & {
  accounts: AccountStore
  activity: ActivityStore
  browserSessions: BrowserSessionStore
  clients: ClientStore
  codes: CodeStore
  managementApps: ManagementAppStore
  claims: ClaimsStore
  revocations: RevocationStore
  sessions: SessionStore
  users: UserStore
}

/** The context of the handlers that sign users in or issue tokens. */
export type IdentityContext = RequestContext<IdentityStores> &
  QuotaContext & { identity: IdentityDependencies }
