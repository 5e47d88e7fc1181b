/** The fields that a change gives; undefined when it gives none. */
export function given<Fields extends Record<string, unknown>>(
  fields: Fields,
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } | undefined {
  const entries = Object.entries(fields).filter(([, value]) => value !== undefined)
  if (entries.length === 0) return undefined
  return Object.fromEntries(entries) as never
}
