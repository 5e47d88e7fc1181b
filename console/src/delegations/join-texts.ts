const format = new Intl.ListFormat('en-GB', { type: 'conjunction' })

/** Joins texts as in `view, edit and share`. */
export function joinTexts(texts: string[]): string {
  return format.format(texts)
}
