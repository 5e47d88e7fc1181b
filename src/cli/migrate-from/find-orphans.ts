import { resolveResourceId } from '../../permissions/resource-id.ts'
import type { OperatorContext } from '../session.ts'
import { findOutsideParents } from './orphans.ts'
import type { Row } from './plan.ts'
import type { Problem } from './tuple.ts'

type Parent = { resource_type: string; resource_id?: string; external_id?: string }

/** Returns the resources whose parents are neither in the export nor registered, by name. */
export async function findOrphans(
  { stores }: OperatorContext,
  resources: Row[],
): Promise<Map<string, Problem>> {
  const outside = findOutsideParents(resources)
  const slugs = outside.map(({ fields }) => String(fields.workspace_slug))
  const workspaces = await stores.workspaces.findBySlugs([...new Set(slugs)])
  const workspaceIds = new Map(workspaces.map(({ slug, id }) => [slug, id]))
  const keys = outside.flatMap(({ fields }, index) => {
    const workspaceId = workspaceIds.get(String(fields.workspace_slug))
    if (workspaceId === undefined) return []
    const parent = fields.parent as Parent
    const kind = { serviceName: String(fields.service_name), resourceType: parent.resource_type }
    return { ...kind, resourceId: resolveResourceId(kind, parent), workspaceId, index }
  })
  const registered = new Set(
    (await stores.resourceTrees.findParents(keys)).map(({ index }) => index),
  )
  return new Map(
    outside
      .filter((_, index) => !registered.has(index))
      .map(({ name, parent, place, places }) => {
        const message = `${name} has the parent ${parent}, which is neither in the export nor registered`
        return [name, { place: places.get('parent') ?? place, message }]
      }),
  )
}
