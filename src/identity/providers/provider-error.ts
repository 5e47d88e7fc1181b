import * as oauth from 'oauth4webapi'
import { failure, type SignInError, type SignInResult, success } from '../sign-in-result.ts'

/** The errors of a sign-in that occur at the provider. */
export type ProviderErrorCode = Exclude<
  SignInError,
  | 'email_missing'
  | 'email_unsupported'
  | 'email_not_verified'
  | 'domain_not_verified'
  | 'account_conflict'
  | 'email_taken'
  | 'user_inactive'
  | 'reauthentication_required'
  | 'amr_missing'
  | 'passkey_removed'
  | 'passkey_missing'
  | 'method_refused'
  | 'not_admin'
  | 'sign_up_closed'
>

/**
 * Aborts a step at a provider. Never leaves this folder, because `toResult` converts it to a
 * failure.
 */
export class ProviderError extends Error {
  readonly code: ProviderErrorCode

  /** `reason` goes to the log: it must not contain tokens. */
  constructor(code: ProviderErrorCode, reason: string) {
    super(reason.replace(/\p{Cc}/gu, ' ').slice(0, 500))
    this.name = 'ProviderError'
    this.code = code
  }

  /** Converts any error of the OAuth library, without the response, which may contain tokens. */
  static from(thrown: unknown): ProviderError {
    if (thrown instanceof ProviderError) return thrown
    if (thrown instanceof oauth.ResponseBodyError) {
      return new ProviderError('provider_error', `${thrown.error}: ${thrown.error_description}`)
    }
    if (thrown instanceof oauth.WWWAuthenticateChallengeError) {
      return new ProviderError('provider_error', `${thrown.status}: ${thrown.message}`)
    }
    return new ProviderError('invalid_response', describeError(thrown))
  }
}

/** Runs a step of a sign-in at the provider and returns its result or its failure. */
export async function toResult<Value>(step: () => Promise<Value>): Promise<SignInResult<Value>> {
  try {
    return success(await step())
  } catch (thrown) {
    const { code, message } = ProviderError.from(thrown)
    return failure(code, message)
  }
}

/** Describes an error and its causes in one line. */
export function describeError(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown)
  const { code, cause } = thrown as Error & { code?: unknown }
  const line = typeof code === 'string' ? `${code}: ${thrown.message}` : thrown.message
  return cause instanceof Error ? `${line}: ${describeError(cause)}` : line
}
