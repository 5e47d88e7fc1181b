/** Returns the label of a field of the API, such as `External ID` for `external_id`. */
export function toLabel(field: string): string {
  const words = field
    .replaceAll('_', ' ')
    .replace(/\b(id|uris?|pkce)\b/g, (word) => (word === 'uris' ? 'URIs' : word.toUpperCase()))
  return words.charAt(0).toUpperCase() + words.slice(1)
}
