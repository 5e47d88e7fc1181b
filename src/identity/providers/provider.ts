/** The providers people sign in with; each is also its path segment. */
export const providerNames = ['google', 'microsoft', 'github'] as const

export type ProviderName = (typeof providerNames)[number]

/** What a provider says of a person; (provider, subject) is who it is. */
export type Identity = {
  provider: ProviderName
  subject: string
  /** In the spelling of normalizeEmail; undefined when there is none that could be used. */
  email: string | undefined
  /** Whether the provider vouches that the person owns the address: without it no account is linked. */
  emailVerified: boolean
  name: string
  /** An https URL or empty. */
  avatarUrl: string
  /** The Google Workspace domain that the account belongs to. */
  hostedDomain?: string
}

/** What must come back at the callback of one login; the caller keeps it in the state cookie. */
export type LoginSecrets = { state: string; nonce?: string; codeVerifier?: string }

/** Signs people in at one provider (RFC 6749 code grant). Both methods fail with ProviderError alone. */
export type Provider = {
  name: ProviderName
  /** Makes the authorization URL and the secrets of a new login; secrets are never used twice. */
  begin(redirectUri: string): Promise<{ url: string; secrets: LoginSecrets }>
  /**
   * Checks the callback's parameters against the secrets, then exchanges the code and reads who
   * it is. Nothing is asked of the provider unless the state is the one of the secrets.
   */
  complete(callback: URLSearchParams, redirectUri: string, secrets: LoginSecrets): Promise<Identity>
}
