import { notInBoundWorkspace, signInErrors } from '../../../src/identity/sign-in-result.ts'

const sentences: Record<string, string> = {
  ...signInErrors,
  // The errors of the authorization endpoint (RFC 6749, 4.1.2.1; OpenID Connect Core, 3.1.2.6).
  login_required: 'Sign in again',
  interaction_required: 'Sign in again',
  consent_required: 'Sign in again',
  account_selection_required: 'Choose an account',
  server_error: 'daikon could not complete the sign-in',
  temporarily_unavailable: 'daikon cannot complete sign-ins at the moment; try again',
}

/** Descriptions of a known error that say more than its sentence. */
const known = new Set<string>([...Object.values(signInErrors), notInBoundWorkspace])

/**
 * Returns what people read about a failed sign-in. Anybody can make a link to the page that shows
 * it, so a text of its address counts only if it is one of daikon's own.
 */
export function describeSignInError(error: string, description?: string | null): string {
  if (description && known.has(description)) return description
  const sentence = Object.hasOwn(sentences, error) ? sentences[error] : undefined
  if (sentence) return sentence
  return /^[a-z_]{1,50}$/.test(error) ? `The sign-in failed (${error})` : 'The sign-in failed'
}
