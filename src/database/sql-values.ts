/** A timestamp from an entity (a Date) or from a query (PostgreSQL's text format). */
export type Timestamp = Date | string

/** A row of an outer join without a counterpart: every column may be null. */
export type Nullable<Row> = { [Column in keyof Row]: Row[Column] | null }

/** Converts a timestamp to ISO 8601 in UTC, the format of messages. */
export function isoTime(timestamp: Timestamp): string {
  return new Date(timestamp).toISOString()
}

/**
 * Returns an array literal; undefined becomes NULL. Text elements other than IDs and hashes must be
 * quoted with `textElement`.
 */
export function arrayLiteral(elements: (string | number | undefined)[]): string {
  return `{${elements.map((element) => element ?? 'NULL').join(',')}}`
}

/** Quotes a string as an element of an array literal. */
export function textElement(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Returns an array literal of arbitrary strings. */
export function textArray(texts: string[]): string {
  return arrayLiteral(texts.map(textElement))
}

/** The last time, in milliseconds since the epoch, that a UUID of version 7 can contain. */
const lastTime = 2 ** 48 - 1

/** Returns the lowest version 7 UUID for a time in milliseconds since the epoch. */
export function lowestIdAt(time: number): string {
  const digits = Math.min(Math.max(time, 0), lastTime).toString(16).padStart(12, '0')
  return `${digits.slice(0, 8)}-${digits.slice(8)}-7000-8000-000000000000`
}
