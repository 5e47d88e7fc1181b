import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { fetchNow } from '../api/query-client.ts'
import { VisibilityBadge } from '../ui/badges.tsx'
import { type Resource, resourceQuery, resourcesQuery, titleOf } from './resource-queries.ts'

/** From the narrowest to the widest. */
const visibilities = ['private', 'workspace', 'public']

/** The maximum number of parents above a resource. */
const maxParents = 32

/** Shows who sees a resource, and the parent through which that is more than its own visibility. */
export function EffectiveVisibility({ resource }: { resource: Resource }) {
  const { data: source } = useQuery(widestParentQuery(resource))
  if (!source) return <VisibilityBadge visibility={resource.visibility} />
  return (
    <>
      <VisibilityBadge visibility={source.visibility} />
      <span className="dimmed">
        through {source.resource_type}{' '}
        <Link to="/resources/$permissionId" params={{ permissionId: source.id }} className="link">
          <bdi>{titleOf(source)}</bdi>
        </Link>
      </span>
    </>
  )
}

/** Returns the nearest of the parents with the widest visibility, if that is wider than the own one. */
function widestParentQuery(resource: Resource) {
  return queryOptions({
    queryKey: ['resources', 'widest-parent', resource.id, resource.inherits, resource.parent],
    enabled: resource.inherits && resource.parent !== null,
    queryFn: async () => {
      let widest = resource
      let current: Resource | undefined = resource
      for (let level = 0; current && level < maxParents; level += 1) {
        current = await fetchParent(current)
        if (current && rankOf(current) > rankOf(widest)) widest = current
      }
      return widest === resource ? null : widest
    },
  })
}

/** Returns the parent from which a resource inherits. */
async function fetchParent({
  service_name,
  workspace_id,
  parent,
  inherits,
}: Resource): Promise<Resource | undefined> {
  if (!parent || !inherits) return undefined
  const { resource_type, resource_id: external_id } = parent
  const filters = { service_name, workspace_id, resource_type, external_id, page: 1, page_size: 1 }
  const { items } = await fetchNow(resourcesQuery(filters))
  return items[0] && fetchNow(resourceQuery(items[0].id))
}

function rankOf({ visibility }: Resource): number {
  return visibilities.indexOf(visibility)
}
