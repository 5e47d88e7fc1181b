type Defined<Values> = { [Name in keyof Values]?: Exclude<Values[Name], undefined> }

/** Omits properties that are undefined. */
export function definedOnly<Values extends object>(values: Values): Defined<Values> {
  const entries = Object.entries(values).filter(([, value]) => value !== undefined)
  return Object.fromEntries(entries) as Defined<Values>
}
