/** The value of one cookie of a `cookie` header; one given twice is none that could be valid. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  if (header === undefined) return undefined
  const values = header
    .split(';')
    .map((pair) => pair.trim())
    .filter((pair) => pair.startsWith(`${name}=`))
    .map((pair) => pair.slice(name.length + 1))
  return values.length === 1 ? values[0] : undefined
}
