/** The kinds of values in the query of an address. */
type Kinds = { text: string; number: number; flag: boolean }

type Search<Shape extends Record<string, keyof Kinds>> = {
  [Name in keyof Shape]?: Kinds[Shape[Name]] | undefined
}

/** The parameters of every list that has pages. */
export const pageSearch = { q: 'text', page: 'number' } as const

/** Returns a function that reads the query of an address. What is unknown or malformed is left out. */
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
  if (kind === 'text') return String(value)
  if (kind === 'flag') return value === true || undefined
  const number = Number(value)
  return Number.isInteger(number) && number > 0 ? number : undefined
}
