const second = 1000
const minute = 60 * second
const hour = 60 * minute

/** The delays after failed attempts, in milliseconds: about a day in total. */
const delays = [
  5 * second,
  5 * minute,
  30 * minute,
  2 * hour,
  5 * hour,
  10 * hour,
  6 * hour,
] as const

/** The part by which a delay varies, so that retries do not arrive at the same time. */
const jitter = 0.1

/** How long every attempt must fail before a webhook is deactivated, in milliseconds. */
const maxFailing = 24 * hour

/**
 * Returns the delay after a number of failed attempts, in milliseconds; undefined if there are no
 * more attempts. `random` is from 0 to 1.
 */
export function retryDelay(failedAttempts: number, random: number): number | undefined {
  const delay = delays[failedAttempts - 1]
  return delay === undefined ? undefined : Math.round(delay * (1 - jitter + 2 * jitter * random))
}

/**
 * Whether a webhook has failed for long enough to be deactivated: for a day, or for all attempts of a
 * delivery. `exhausted`: when those deliveries failed first that have no attempts left.
 */
export function hasFailedTooLong(failingSince: Date, now: Date, exhausted: Date[]): boolean {
  if (now.getTime() - failingSince.getTime() >= maxFailing) return true
  return exhausted.some((firstFailedAt) => failingSince <= firstFailedAt)
}
