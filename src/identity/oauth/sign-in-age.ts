import type { OpenBrowserSession } from '../store/browser-session-store.ts'

/**
 * The smallest `max_age`, in seconds, that the time of the callback can meet. A provider that does not
 * report when the user signed in may have done so long before.
 */
const minUnreportedAge = 3600

/**
 * Whether a request accepts nothing but `phr`, which is a sign-in by a passkey. Other values are for the
 * provider, and are voluntary (OpenID Connect Core 1.0, 3.1.2.1).
 */
export function requiresPasskey({ acrValues = '' }: { acrValues?: string | undefined }): boolean {
  const values = acrValues.split(' ').filter((value) => value !== '')
  return values.length > 0 && values.every((value) => value === 'phr')
}

/** Whether a sign-in is older than `maxAge` seconds, if it is given. */
export function isTooOld(
  {
    authenticatedAt,
    isTimeReported,
  }: Pick<OpenBrowserSession, 'authenticatedAt' | 'isTimeReported'>,
  maxAge: number | undefined,
  now: Date,
  tolerance = 0,
): boolean {
  if (maxAge === undefined) return false
  if (!isTimeReported && maxAge < minUnreportedAge) return true
  return now.getTime() - authenticatedAt.getTime() > (maxAge + tolerance) * 1000
}
