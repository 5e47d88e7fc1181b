/** A timestamp from an entity (a Date) or from a query (PostgreSQL's text format). */
export type Timestamp = Date | string

/** Converts a timestamp to ISO 8601 in UTC, the format of messages. */
export function isoTime(timestamp: Timestamp): string {
  return new Date(timestamp).toISOString()
}

/** Returns an ILIKE pattern that finds `text` anywhere; wildcards in `text` are escaped. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}

/**
 * Returns an array literal; undefined becomes NULL. Text elements must not need quoting (IDs and
 * hashes do not), or must be quoted with `textElement`.
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
