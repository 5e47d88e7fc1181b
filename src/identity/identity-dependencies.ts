import type { EntityManager } from '@mikro-orm/postgresql'
import type { RequestContext } from '../core/request-context.ts'
import type { Semaphore } from '../core/semaphore.ts'
import type { Keys } from './keys.ts'
import type { Provider, ProviderName } from './providers/provider.ts'
import type { Flow, StateCookies } from './state-cookie.ts'
import type { Tokens } from './tokens.ts'

/** How a login ended. */
export type SignInOutcome = {
  flow: Flow
  provider: ProviderName | 'unknown'
  /** `ok`, an error such as `email_not_verified`, or the reason of a ServiceError in lower case. */
  outcome: string
}

/** Secrets that can be used once. */
export const replayedSecrets = ['refresh_token', 'authorization_code', 'sign_in_state'] as const

export type ReplayedSecret = (typeof replayedSecrets)[number]

/** What the handlers of sign-in and tokens need in addition to the context of a call. */
export type IdentityDependencies = {
  /** The keys, which may be replaced while the server runs. */
  currentKeys: () => Keys
  tokens: Tokens
  stateCookies: StateCookies
  providers: Map<ProviderName, Provider>
  /** The current time, which is later than the `now` of a call that has waited. */
  clock: () => Date
  /** Creates a workspace for a user who is not a member of any. */
  createPersonalWorkspace: (
    em: EntityManager,
    user: { id: string; name: string; email: string },
    now: Date,
  ) => Promise<void>
  /**
   * Runs the transactions of sign-ins, a few at once. Far more sign-ins are admitted than there are connections,
   * because most of them wait for an identity provider and need none.
   */
  limitTransactions: Semaphore
  /** Called once for every completed login, for metrics. */
  onSignIn: (signIn: SignInOutcome) => void
  /** Called whenever such a secret is presented after its use, for metrics. */
  onReplay: (secret: ReplayedSecret) => void
  options: {
    /** The public address of the server, the issuer of its tokens. */
    baseUrl: string
    /** The address of the admin console. */
    adminUrl: string
    /** Normalized addresses. A sign-in with one of them, verified, makes the user an administrator. */
    adminEmails: string[]
    /** Seconds after the sign-in at the provider for which an admin token is valid at most. */
    adminMaxAge?: number | undefined
    /** Administrators must sign in with one of these methods (`amr`); empty allows any. */
    adminRequiredAmr?: string[]
    /** Whether a sign-in creates a workspace for a user without one. */
    personalWorkspaces: boolean
    /** Allows more than production does, such as http redirect URIs. */
    debug: boolean
    /** Turns development mode off: a service key is required even when no service app is active. */
    keysRequired: boolean
    /** Lifetimes of tokens, in seconds. */
    lifetimes: { access: number; refresh: number; admin: number }
    /** The maximum number of sessions of a user. A further sign-in ends the oldest one. */
    maxSessionsPerUser: number
  }
}

/** The context of handlers that sign people in or issue tokens. */
export type IdentityContext = RequestContext & { identity: IdentityDependencies }
