import type { SignInResult } from '../sign-in-result.ts'

/** The supported identity providers. Each name is also a path segment of the REST API. */
export const providerNames = ['google', 'microsoft', 'github', 'oidc'] as const

export type ProviderName = (typeof providerNames)[number]

/** The methods whose provider is a page of daikon's own (`own-methods.ts`). */
export const ownMethodNames = ['email', 'passkey'] as const

export type OwnMethodName = (typeof ownMethodNames)[number]

/** The methods that people sign in with, beside the connections of workspaces. */
export const signInMethodNames = [...providerNames, ...ownMethodNames] as const

export type SignInMethodName = (typeof signInMethodNames)[number]

/** The name of the provider of a workspace's connection, with its ID. */
export type ConnectionName = `connection:${string}`

/** The name of any provider that people sign in with. */
export type SignInProviderName = SignInMethodName | ConnectionName

/**
 * A person as described by the provider. The pair (provider, subject) is unique and never changes.
 */
export type Identity = {
  provider: SignInProviderName
  subject: string
  /** Normalized (`normalizeEmail`); undefined if the provider returned no valid address. */
  email: string | undefined
  /**
   * Whether the provider has verified that the person owns the address. Required to link accounts.
   */
  emailVerified: boolean
  /** Why the identity has no verified address. */
  emailProblem?: 'email_missing' | 'email_unsupported' | 'email_not_verified' | 'passkey_removed'
  /** Whether the account must not join a user who has other accounts, verified address or not. */
  joinsNone?: boolean
  name: string
  /** The parts of the name; empty if the provider did not send them. */
  givenName: string
  familyName: string
  /** An https URL, or empty. */
  avatarUrl: string
  /** The Google Workspace domain that the account belongs to. */
  hostedDomain?: string
  /** How and when the person authenticated, if the provider reports it. */
  authentication?: ReportedAuthentication
  /** The ID of the passkey that the person has signed in with. */
  passkeyId?: string
  /** The claims that the provider of a connection asserts. */
  claims?: Record<string, unknown>
  /** The user, if one of daikon's own methods has found them. */
  userId?: string
  /** The address that the person has proved by a code before, in the same login. */
  links?: ProvedAddress
}

/** An address as an account, which a code has proved. */
export type ProvedAddress = { provider: 'email'; subject: string }

/**
 * How and when a person authenticated at the provider (OpenID Connect Core 1.0, 2). A provider's `acr`
 * is not kept: what it means is the provider's own.
 */
export type ReportedAuthentication = { time?: Date; amr?: string[] }

/** Options of a login. Providers ignore options that they do not support. */
export type LoginOptions = {
  /** The person must sign in again, or choose an account. */
  prompt?: 'login' | 'select_account' | undefined
  /** Seconds since the last sign-in after which the person must sign in again. */
  maxAge?: number | undefined
  loginHint?: string | undefined
  acrValues?: string | undefined
}

/**
 * The values that the callback of a login is checked against. The caller stores them in the state
 * cookie.
 */
export type LoginSecrets = {
  state: string
  nonce?: string
  codeVerifier?: string
  /** The address that the page of one of daikon's own methods displays. */
  loginHint?: string
}

/** An identity provider that signs people in by the authorization code grant (RFC 6749, 4.1). */
export type Provider = {
  name: SignInProviderName
  /** Changes when the provider is replaced by another of the same name. */
  configuration?: string
  /** Creates the authorization URL and the secrets of a new login. */
  begin(
    redirectUri: string,
    options?: LoginOptions,
  ): Promise<SignInResult<{ url: string; secrets: LoginSecrets }>>
  /**
   * Checks the callback's parameters against the secrets, then exchanges the code and reads the
   * identity. Sends nothing to the provider unless the state matches.
   */
  complete(
    callback: URLSearchParams,
    redirectUri: string,
    secrets: LoginSecrets,
  ): Promise<SignInResult<Identity>>
}
