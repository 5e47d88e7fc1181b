/**
 * Bounds of the difference between the clock of a server and the monotonic clock of this process, in
 * milliseconds. They are apart by the time that reading the clock took.
 */
export type ClockOffset = { min: number; max: number }

/** Milliseconds by which the clocks of two servers may differ; a share may expire that much later or earlier. */
export const maxClockSkew = 1000

/** Returns the offset of a server whose clock was read by a query that was sent at `sentAt`, until now. */
export function measureClockOffset(serverTime: number, sentAt: number): ClockOffset {
  return { min: serverTime - performance.now(), max: serverTime - sentAt }
}

/** Whether two clocks certainly differ by more than `maxClockSkew`. */
export function areClocksSkewed(one: ClockOffset, other: ClockOffset): boolean {
  return one.min - other.max > maxClockSkew || other.min - one.max > maxClockSkew
}
