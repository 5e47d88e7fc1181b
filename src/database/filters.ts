/** The optional conditions of a query, which depend on the request. */
export type Filters = {
  /** The values of the placeholders, in order. */
  values: unknown[]
  /** Adds a condition unless the value is undefined. */
  add(value: unknown, condition: (placeholder: string) => string): void
  /** Adds a condition without a value. */
  require(condition: string): void
  /** Returns the WHERE clause; empty without conditions. */
  where(): string
}

/** Creates filters without conditions. The first placeholders refer to `values`. */
export function createFilters(...values: unknown[]): Filters {
  const conditions: string[] = []
  return {
    values,
    add(value, condition) {
      if (value === undefined) return
      values.push(value)
      conditions.push(condition(`$${values.length}`))
    },
    require: (condition) => {
      conditions.push(condition)
    },
    where: () => (conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''),
  }
}
