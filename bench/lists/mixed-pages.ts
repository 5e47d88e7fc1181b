import { pageSize } from './list-query.ts'

/**
 * Returns whether a first page that was read between two states of a list is right: it has only rows of these,
 * and all that stay visible and come before its last row. The states are in the order of the page.
 */
export function createPageCheck(
  before: readonly string[],
  after: readonly string[],
): (page: readonly string[]) => boolean {
  const places = [before, after].map((ids) => new Map(ids.map((id, index) => [id, index])))
  const [old, next] = places as [Map<string, number>, Map<string, number>]
  const staying = before.filter((id) => next.has(id))
  return (page) => {
    if (page.some((id) => !old.has(id) && !next.has(id))) return false
    const found = page.filter((id) => old.has(id) && next.has(id))
    if (found.some((id, index) => id !== staying[index])) return false
    const missing = staying[found.length]
    if (missing === undefined) return true
    const last = page.at(-1) ?? ''
    const state = old.has(last) ? old : next
    // A page with fewer rows has all that stay.
    return page.length === pageSize && (state.get(missing) ?? 0) > (state.get(last) ?? 0)
  }
}
