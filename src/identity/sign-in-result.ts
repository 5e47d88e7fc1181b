/**
 * The errors of a sign-in and their public descriptions. Redirects send both to the browser as
 * `error` and `error_description` (RFC 6749, 4.1.2.1); the authorization endpoint first maps the
 * error to a standard one.
 */
export const signInErrors = {
  access_denied: 'The sign-in was cancelled or refused at the identity provider',
  provider_error: 'The identity provider reported an error',
  provider_unavailable: 'The identity provider could not be reached in time',
  invalid_response: 'The response of the identity provider could not be verified',
  state_mismatch: 'This sign-in was not started in this browser, or it has already ended',
  email_scope_missing: 'The identity provider was not allowed to share the e-mail address',
  tenant_refused: 'Accounts of this organization cannot sign in here',
  email_missing:
    'The identity provider shares no e-mail address; allow it to share the address, or add the claim email there',
  email_unsupported:
    'The e-mail address at the identity provider is not supported; use one of ASCII characters, with the domain in the form xn--',
  email_not_verified:
    'The identity provider has not verified the e-mail address; verify it there and sign in again',
  domain_not_verified: 'The e-mail address is outside the verified domains of the connection',
  account_conflict: 'The e-mail address belongs to a user who signs in with another account',
  email_taken:
    'The e-mail address belongs to another account; ask for an invitation to the address of the account that you use',
  sign_up_closed:
    'Only people who have been invited can sign in here; ask for an invitation to this e-mail address',
  user_inactive: 'The account has been deactivated',
  unexpected_user: 'Another user signed in than the application expects',
  reauthentication_required: 'The identity provider did not confirm a recent sign-in',
  amr_missing: 'The identity provider did not confirm the required authentication method',
  passkey_removed: 'The passkey has been removed; sign in another way',
  passkey_missing: 'The user has no passkey here',
  method_refused: 'Administrators cannot sign in with what this account was added by',
  not_admin: 'The account is not an administrator',
} as const

export type SignInError = keyof typeof signInErrors

/** The reason why a sign-in failed. */
export type SignInFailure = {
  ok: false
  error: SignInError
  error_description: string
  /** Details about the failure at the provider, for the log only. */
  reason: string | undefined
  /** Whether the transaction of the sign-in has recorded the failure, and is committed nevertheless. */
  isRecorded?: boolean
}

/**
 * The result of a sign-in or of one of its steps. Expected failures are returned; only unexpected
 * errors are thrown.
 */
export type SignInResult<Value> = { ok: true; value: Value } | SignInFailure

export function success<Value>(value: Value): SignInResult<Value> {
  return { ok: true, value }
}

export function failure(error: SignInError, reason?: string): SignInFailure {
  return { ok: false, error, error_description: signInErrors[error], reason }
}

/** Returns a failure that the transaction of the sign-in has recorded. */
export function recordedFailure(error: SignInError): SignInFailure {
  return { ...failure(error), isRecorded: true }
}

/** The description for a user who is not a member of the workspace that a client app is bound to. */
export const notInBoundWorkspace = 'The user is not a member of the workspace of this application'
