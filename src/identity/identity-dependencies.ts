import type { EntityManager } from '@mikro-orm/postgresql'
import type { RequestContext } from '../core/request-context.ts'
import type { Keys } from './keys.ts'
import type { Provider, ProviderName } from './providers/provider.ts'
import type { Flow, StateCookies } from './state-cookie.ts'
import type { Tokens } from './tokens.ts'

/** What sign-in and tokens need beside the context of a call. */
export type IdentityDependencies = {
  keys: Keys
  tokens: Tokens
  stateCookies: StateCookies
  providers: Map<ProviderName, Provider>
  /** Creates a workspace for a user who is in none. */
  createPersonalWorkspace: (
    em: EntityManager,
    user: { id: string; name: string; email: string },
    now: Date,
  ) => Promise<void>
  /** Called with the outcome of every sign-in: `ok` or an error such as `email_not_verified`. */
  onSignIn: (signIn: { flow: Flow; provider: ProviderName; outcome: string }) => void
  options: {
    /** The public address of the server, the issuer of its tokens. */
    baseUrl: string
    /** The address of the admin console. */
    adminUrl: string
    /** Normalized addresses that become administrators at a sign-in with a verified e-mail. */
    adminEmails: string[]
    /** Whether a user without a workspace gets one at sign-in. */
    personalWorkspaces: boolean
    /** Allows more than production does, such as http redirect URIs. */
    debug: boolean
    /** No development mode: a service key is required even when no service app is active. */
    keysRequired: boolean
    /** Seconds. */
    lifetimes: { access: number; refresh: number; admin: number }
  }
}

/** The context of handlers that sign people in or issue tokens. */
export type IdentityContext = RequestContext & { identity: IdentityDependencies }
