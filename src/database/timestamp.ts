/** A timestamp of an entity (a Date) or of a raw row (PostgreSQL's text), as it comes. */
export type Timestamp = Date | string

/** ISO 8601 UTC, as messages carry it. */
export function isoTime(timestamp: Timestamp): string {
  return new Date(timestamp).toISOString()
}
