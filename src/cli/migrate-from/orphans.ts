import type { Row } from './plan.ts'
import type { Problem } from './tuple.ts'

/** The resources and shares of a plan, and why others of the export cannot be created. */
export type Kept = { resources: Row[]; shares: Row[]; orphans: Problem[] }

/**
 * Leaves out resources, everything below them, and their shares. `reasons` says why, by the name of
 * the resource in the export.
 */
export function leaveOut(
  { resources, shares }: { resources: Row[]; shares: Row[] },
  reasons: Map<string, Problem>,
): Kept {
  const parents = new Map(resources.map(({ name, parent }) => [name, parent]))

  /** Returns the name of the nearest resource at or above this one that has a reason. */
  const findOrphan = (name: string): string | undefined => {
    const seen = new Set<string>()
    let next: string | undefined = name
    while (next !== undefined && !seen.has(next)) {
      if (reasons.has(next)) return next
      seen.add(next)
      next = parents.get(next)
    }
    return undefined
  }

  const orphans = new Map(reasons)
  for (const { name, place, places } of resources) {
    const above = findOrphan(name)
    if (above === undefined || above === name) continue
    const message = `${name} is below ${above}, which is left out`
    orphans.set(name, { place: places.get('parent') ?? place, message })
  }
  const isKept = ({ name }: Row) => !orphans.has(name)
  return {
    resources: resources.filter(isKept),
    shares: shares.filter(isKept),
    orphans: [...orphans.values()],
  }
}

/** Returns the resources whose parents are not in the export. */
export function findOutsideParents(resources: Row[]): (Row & { parent: string })[] {
  const names = new Set(resources.map(({ name }) => name))
  return resources.filter(
    (row): row is Row & { parent: string } => row.parent !== undefined && !names.has(row.parent),
  )
}
