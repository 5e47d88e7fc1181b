import type { EntityManager } from '@mikro-orm/postgresql'
import type { RequestContext } from '../core/request-context.ts'
import type { Semaphore } from '../core/semaphore.ts'
import type { Keys } from './keys.ts'
import type { Provider, ProviderName } from './providers/provider.ts'
import type { Flow, StateCookies } from './state-cookie.ts'
import type { Tokens } from './tokens.ts'

/** The outcome of a login. */
export type SignInOutcome = {
  flow: Flow
  provider: ProviderName | 'unknown'
  /** `ok`, an error such as `email_not_verified`, or the reason of a ServiceError in lower case. */
  outcome: string
}

/** The secrets that can be used only once. */
export const replayedSecrets = ['refresh_token', 'authorization_code', 'sign_in_state'] as const

export type ReplayedSecret = (typeof replayedSecrets)[number]

/** The dependencies of the handlers that sign users in or issue tokens. */
export type IdentityDependencies = {
  /** The keys, which may be replaced while the server runs. */
  currentKeys: () => Keys
  tokens: Tokens
  stateCookies: StateCookies
  providers: Map<ProviderName, Provider>
  /** Returns the current time. The `now` of a request is earlier if the request has waited. */
  clock: () => Date
  /** Creates a workspace for a user who is not a member of any. */
  createPersonalWorkspace: (
    em: EntityManager,
    user: { id: string; name: string; email: string },
    now: Date,
  ) => Promise<void>
  /**
   * Limits how many transactions of sign-ins run at once. Far more sign-ins are admitted than there
   * are database connections, because most of them wait for an identity provider and need no
   * connection.
   */
  limitTransactions: Semaphore
  /** Called once for each callback of a login, whether it succeeds or fails, for metrics. */
  onSignIn: (signIn: SignInOutcome) => void
  /** Called whenever a secret is presented again after its use, for metrics. */
  onReplay: (secret: ReplayedSecret) => void
  options: {
    /** The public address of the server, the issuer of its tokens. */
    baseUrl: string
    /** The address of the admin console. */
    adminUrl: string
    /**
     * Normalized addresses. A user who signs in with one of them becomes an administrator, provided
     * that the identity provider has verified the address.
     */
    adminEmails: string[]
    /**
     * The maximum age of the sign-in at the provider, in seconds. Admin tokens expire when it is
     * reached.
     */
    adminMaxAge?: number | undefined
    /** Administrators must sign in with one of these methods (`amr`); empty allows any. */
    adminRequiredAmr?: string[]
    /** Whether a sign-in creates a workspace for a user who is not a member of any. */
    personalWorkspaces: boolean
    /** Whether to relax rules of production, such as https for redirect URIs. */
    debug: boolean
    /**
     * Whether a service key is required even if no service app is active. Disables development
     * mode.
     */
    keysRequired: boolean
    /** Lifetimes of tokens, in seconds. */
    lifetimes: { access: number; refresh: number; admin: number }
    /** The maximum number of sessions of a user. A further sign-in ends the oldest session. */
    maxSessionsPerUser: number
  }
}

/** The context of handlers that sign people in or issue tokens. */
export type IdentityContext = RequestContext & { identity: IdentityDependencies }
