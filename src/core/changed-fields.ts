/** Returns the defined fields that differ from `before`, or undefined if none do. */
export function changedFields<Fields extends Record<string, unknown>>(
  fields: Fields,
  before: { [Name in keyof Fields]?: unknown } = {},
): { [Name in keyof Fields]?: Exclude<Fields[Name], undefined> } | undefined {
  const entries = Object.entries(fields).filter(
    ([name, value]) => value !== undefined && value !== before[name],
  )
  if (entries.length === 0) return undefined
  return Object.fromEntries(entries) as never
}
