/**
 * Common table expressions: queries by their names, each of which may read itself and those before
 * it. A query with the name of a table is read instead of the table, also by the queries after it.
 */
export type Ctes = Readonly<Record<string, string>>

/**
 * A statement whose text has not been put together, so that parts can be added or replaced.
 *
 * @example
 * { ctes: { answer: 'select 42 as number' }, select: 'select number from answer' }
 */
export type Statement = { ctes: Ctes; select: string }

/** Returns the text of a statement. Each common table expression is computed once. */
export function toSql({ ctes, select }: Statement): string {
  const parts = Object.entries(ctes).map(([name, query]) => `${name} as materialized (${query})`)
  return parts.length === 0 ? select : `with recursive ${parts.join(', ')}\n${select}`
}
