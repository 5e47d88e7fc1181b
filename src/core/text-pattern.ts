/**
 * Returns a regular expression that finds any of these texts, in upper or lower case, between other characters
 * than letters and digits, also with the escapes of JSON. Both PostgreSQL (`~*`) and `matchesText` read it.
 * Returns undefined without a text of at least three characters.
 */
export function createTextPattern(texts: string[]): string | undefined {
  const forms = texts
    .filter((text) => text.length >= 3)
    .flatMap((text) => [text, JSON.stringify(text).slice(1, -1)])
  const escaped = [...new Set(forms)].map((text) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
  // With a Turkish collation, PostgreSQL does not find `I` for `i`.
  const spelled = escaped.map((text) => text.replace(/[iIıİ]/g, '[iIıİ]'))
  return spelled.length === 0
    ? undefined
    : `(?<![[:alnum:]])(?:${spelled.join('|')})(?![[:alnum:]])`
}

/** Whether the pattern finds one of its texts. */
export function matchesText(pattern: string, text: string): boolean {
  return new RegExp(pattern.replaceAll('[[:alnum:]]', '[\\p{L}\\p{N}]'), 'iu').test(text)
}
