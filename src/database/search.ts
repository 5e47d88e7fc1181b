import type { Filters } from './filters.ts'

/** Escapes the wildcards of LIKE. */
export function escapePattern(text: string): string {
  return text.replace(/[\\%_]/g, '\\$&')
}

/** Returns the words of a search. */
export function searchWords(q: string | undefined): string[] {
  return [...new Set(q?.split(/\s+/).filter(Boolean))]
}

/**
 * Adds the conditions that each word of `q` occurs in one of the columns, regardless of case and
 * accents.
 */
export function addSearch(filters: Filters, q: string | undefined, ...columns: string[]): void {
  addWords(filters, q, (pattern) => matchesAny(columns, pattern))
}

/** Adds a condition for the LIKE pattern of each word of `q`. */
export function addWords(
  filters: Filters,
  q: string | undefined,
  condition: (pattern: string) => string,
): void {
  for (const word of searchWords(q)) filters.add(containsPattern(word), condition)
}

/** Returns a LIKE pattern that finds `text` anywhere. */
export function containsPattern(text: string): string {
  return `%${escapePattern(text)}%`
}

/** Returns the condition that one of the columns matches a LIKE pattern. */
export function matchesAny(columns: string[], pattern: string): string {
  return `(${columns.map((column) => matchesText(column, pattern)).join(' or ')})`
}

/** Returns the condition that a column matches a LIKE pattern. The search indexes support it. */
export function matchesText(column: string, pattern: string): string {
  return `search_text(${column}) like search_text(${pattern})`
}

/** Returns the condition that a nullable column matches a LIKE pattern without leading wildcard. */
export function beginsWith(column: string, pattern: string): string {
  // The index contains only rows with a value.
  return `${column} is not null and ${matchesText(column, pattern)}`
}
