import { createHash, timingSafeEqual } from 'node:crypto'
import { ProviderError } from './provider-error.ts'

/** RFC 6749 4.1.2.1 → ours; every other error is the provider's. */
const errors: Record<string, 'access_denied' | 'provider_unavailable'> = {
  access_denied: 'access_denied',
  temporarily_unavailable: 'provider_unavailable',
}

/**
 * Throws unless the callback belongs to the login with this state and brings a code. The state
 * comes first: whoever lacks it learns nothing else, and makes us ask the provider nothing.
 */
export function checkCallback(callback: URLSearchParams, state: string): void {
  const [given = '', ...repeated] = callback.getAll('state')
  if (state === '' || repeated.length > 0 || !sameSecret(given, state)) {
    throw new ProviderError('state_mismatch', 'the state is not the one of the cookie')
  }
  for (const name of ['code', 'error', 'iss']) {
    if (callback.getAll(name).length > 1) {
      throw new ProviderError('invalid_response', `${name} is repeated in the callback`)
    }
  }
  const error = callback.get('error')
  if (error !== null) {
    const code = Object.hasOwn(errors, error) ? errors[error] : undefined
    const detail = `${error}: ${callback.get('error_description')}`
    throw new ProviderError(code ?? 'provider_error', detail)
  }
  if (!callback.get('code') || callback.get('iss') === '') {
    throw new ProviderError('invalid_response', 'the callback has no code, or an empty iss')
  }
}

/** Compares in constant time, whatever the lengths. */
function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
