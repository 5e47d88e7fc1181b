import { invalidArgument } from './errors.ts'

/** Stands for the absence of an expiry in activity entries. */
export const noExpiry = 'never'

const maxYears = 10

/**
 * Returns the time at which something new expires, or undefined if it does not expire.
 *
 * @throws ServiceError `invalid_argument` for a time in the past or more than 10 years ahead
 */
export function readExpiry(expiresAt: string | undefined, now: Date): string | undefined {
  if (expiresAt === undefined) return undefined
  const time = new Date(expiresAt)
  const latest = new Date(now)
  latest.setUTCFullYear(now.getUTCFullYear() + maxYears)
  const message =
    time <= now
      ? 'must be in the future'
      : time > latest && `must be at most ${maxYears} years in the future`
  if (message) throw invalidArgument({ field: 'expires_at', message })
  return time.toISOString()
}
