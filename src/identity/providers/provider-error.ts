import * as oauth from 'oauth4webapi'

/** Every way a sign-in can fail at the provider: `error` on the redirect → a public sentence. */
export const providerFailures = {
  access_denied: 'The sign-in was cancelled or refused at the provider',
  provider_error: 'The provider reported an error',
  provider_unavailable: 'The provider could not be reached in time',
  invalid_response: 'The answer of the provider could not be verified',
  state_mismatch: 'This sign-in was not started in this browser, or it is already over',
  email_scope_missing: 'The provider was not allowed to tell the e-mail address',
  tenant_refused: 'Accounts of this organization cannot sign in here',
} as const

export type ProviderFailure = keyof typeof providerFailures

/** Why a sign-in failed. `code` and `message` are public; `cause` is for the log. */
export class ProviderError extends Error {
  readonly code: ProviderFailure

  constructor(code: ProviderFailure, reason: string) {
    // Text alone: the protocol's errors carry answers, and those carry tokens.
    super(providerFailures[code], {
      cause: new Error(reason.replace(/\p{Cc}/gu, ' ').slice(0, 500)),
    })
    this.name = 'ProviderError'
    this.code = code
  }

  /** Any thrown value as a ProviderError. */
  static from(thrown: unknown): ProviderError {
    if (thrown instanceof ProviderError) return thrown
    if (thrown instanceof oauth.ResponseBodyError) {
      return new ProviderError('provider_error', `${thrown.error}: ${thrown.error_description}`)
    }
    if (thrown instanceof oauth.WWWAuthenticateChallengeError) {
      return new ProviderError('provider_error', `${thrown.status}: ${thrown.message}`)
    }
    return new ProviderError('invalid_response', describe(thrown))
  }
}

/** Runs the protocol's part of a step, so that only ProviderError leaves it. */
export async function protect<Value>(step: () => Promise<Value>): Promise<Value> {
  try {
    return await step()
  } catch (thrown) {
    throw ProviderError.from(thrown)
  }
}

/** An error in a line, its cause included where that is an error, too. */
export function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { code, cause } = thrown as Error & { code?: unknown }
  const line = typeof code === 'string' ? `${code}: ${thrown.message}` : thrown.message
  return cause instanceof Error ? `${line}: ${describe(cause)}` : line
}
