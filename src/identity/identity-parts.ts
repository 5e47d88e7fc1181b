import type { Keys } from './keys.ts'
import type { LoginStates } from './login-states.ts'
import type { Provider, ProviderName } from './providers/provider.ts'
import type { Tokens } from './tokens.ts'

/** What sign-in and tokens work with, beside the database. */
export type IdentityParts = {
  keys: Keys
  tokens: Tokens
  loginStates: LoginStates
  providers: Map<ProviderName, Provider>
  options: {
    /** Our public address. */
    baseUrl: string
    /** The admin panel. */
    adminUrl: string
    /** Normalised; who signs in with one of them, vouched for, becomes an administrator. */
    adminEmails: string[]
    /** Whoever has no workspace gets one of their own. */
    personalWorkspaces: boolean
    /** More is let in than in production: http redirect URIs. */
    debug: boolean
    /** No development mode: a service key is needed even where no app is active. */
    keysRequired: boolean
    /** Seconds. */
    lifetimes: { access: number; refresh: number; admin: number }
  }
}
