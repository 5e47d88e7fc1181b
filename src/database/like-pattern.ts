/** A pattern for ILIKE that finds the text anywhere; its wildcards are text. */
export function likePattern(text: string): string {
  return `%${text.replace(/[\\%_]/g, '\\$&')}%`
}
