/** The types of the search parameters in an address. */
type Kinds = { text: string; number: number; flag: boolean }

type Search<Shape extends Record<string, keyof Kinds>> = {
  [Name in keyof Shape]?: Kinds[Shape[Name]] | undefined
}

/** The search parameters of all lists with pages. */
export const pageSearch = { q: 'text', page: 'number' } as const

/**
 * Returns a parser for the search parameters of an address. The parser drops unknown and malformed
 * parameters.
 */
export function readSearch<const Shape extends Record<string, keyof Kinds>>(shape: Shape) {
  return (search: Record<string, unknown>): Search<Shape> => {
    const entries = Object.entries(shape).flatMap(([name, kind]) => {
      const value = readValue(kind, search[name])
      return value === undefined ? [] : [[name, value]]
    })
    return Object.fromEntries(entries)
  }
}

function readValue(kind: keyof Kinds, value: unknown) {
  if (value === undefined || value === null || value === '') return undefined
  // The router has parsed a value that is JSON.
  if (kind === 'text') return typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (kind === 'flag') return value === true || undefined
  const number = Number(value)
  return Number.isInteger(number) && number > 0 ? number : undefined
}
