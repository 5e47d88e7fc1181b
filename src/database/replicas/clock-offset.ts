/**
 * Bounds of the difference between the clock of a server and the monotonic clock of this process,
 * in milliseconds. The interval is as wide as reading the clock took.
 */
export type ClockOffset = { min: number; max: number }

/**
 * The maximum difference between the clocks of two servers, in milliseconds. A share may expire
 * that much earlier or later.
 */
export const maxClockSkew = 1000

/**
 * The maximum difference between the clocks of any two servers that serve reads, in milliseconds: each
 * read verifies that the clock of its standby is close to the primary's.
 */
export const maxReadClockDifference = 2 * 2 * maxClockSkew

/**
 * Returns the offset of a server whose clock was read by a query that was sent at `sentAt`, until
 * now.
 */
export function measureClockOffset(serverTime: number, sentAt: number): ClockOffset {
  return { min: serverTime - performance.now(), max: serverTime - sentAt }
}

/** Whether two clocks certainly differ by more than `maxClockSkew`. */
export function areClocksSkewed(one: ClockOffset, other: ClockOffset): boolean {
  return one.min - other.max > maxClockSkew || other.min - one.max > maxClockSkew
}

/** Whether two clocks certainly differ by at most twice `maxClockSkew`, however long reading them took. */
export function areClocksClose(one: ClockOffset, other: ClockOffset): boolean {
  return Math.max(one.max - other.min, other.max - one.min) <= 2 * maxClockSkew
}
