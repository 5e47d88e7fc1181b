/** The number of rows of a page. */
export const pageSize = 20

/**
 * Whether a page that was read between two states of a list is right: it has only rows of these, and of
 * those that stay visible all that come before its last row. Lists are in the order of the page.
 */
export function isBetween(
  page: readonly string[],
  before: readonly string[],
  after: readonly string[],
): boolean {
  const old = new Set(before)
  const next = new Set(after)
  if (page.some((id) => !old.has(id) && !next.has(id))) return false
  const staying = before.filter((id) => next.has(id))
  const found = page.filter((id) => old.has(id) && next.has(id))
  if (found.some((id, index) => id !== staying[index])) return false
  // A page with fewer rows has all that stay.
  return page.length === pageSize || found.length === staying.length
}
