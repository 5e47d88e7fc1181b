/** A timestamp as an entity has it (a Date) or as a query returns it (the text of PostgreSQL). */
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
 * Returns an array literal; undefined becomes NULL. Text elements must need no quotes, as is true of
 * ids and hashes, or be quoted by `textElement`.
 */
export function arrayLiteral(elements: (string | number | undefined)[]): string {
  return `{${elements.map((element) => element ?? 'NULL').join(',')}}`
}

/** Quotes a text as an element of an array literal. */
export function textElement(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}

/** Returns an array literal of any texts. */
export function textArray(texts: string[]): string {
  return arrayLiteral(texts.map(textElement))
}
