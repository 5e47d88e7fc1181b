/** Returns the `count` known names that are most similar to `name`, the nearest first. */
export function nearestNames(name: string, known: readonly string[], count: number): string[] {
  const plain = withoutSpelling(name.slice(0, maxComparedLength))
  return known
    .map((other) => ({ other, distance: editDistance(plain, withoutSpelling(other)) }))
    .toSorted((a, b) => a.distance - b.distance)
    .slice(0, count)
    .map(({ other }) => other)
}

/** Returns the known name that differs from `name` by the fewest edits, if these are at most `maxEdits`. */
export function findNearestName(
  name: string,
  known: readonly string[],
  maxEdits: number,
): string | undefined {
  const [nearest] = nearestNames(name, known, 1)
  if (nearest === undefined) return undefined
  const edits = editDistance(withoutSpelling(name), withoutSpelling(nearest))
  return edits <= maxEdits ? nearest : undefined
}

/** Bounds the work for one name, because the distance takes quadratic time. */
const maxComparedLength = 64

/** Removes what distinguishes `expiresAt` from `expires_at`. */
function withoutSpelling(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9]/g, '')
}

/** Returns the number of UTF-16 units to insert, remove or replace (Levenshtein distance). */
export function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let index = 0; index < from.length; index += 1) {
    const next = [index + 1]
    for (let column = 0; column < to.length; column += 1) {
      const replaced = (row[column] as number) + (from[index] === to[column] ? 0 : 1)
      const others = Math.min(row[column + 1] as number, next[column] as number)
      next.push(Math.min(replaced, others + 1))
    }
    row = next
  }
  return row[to.length] as number
}
