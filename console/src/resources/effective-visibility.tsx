import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { VisibilityBadge } from '../ui/badges.tsx'
import { type Resource, type ResourceSummary, resourcesQuery, titleOf } from './resource-queries.ts'

/** Shows who sees a resource, and the ancestor through which that is more than its own visibility. */
export function VisibilityOf({ resource }: { resource: ResourceSummary }) {
  const { effective_visibility, visible_through: source } = resource
  if (!source) return <VisibilityBadge visibility={effective_visibility} />
  const { permission_id: permissionId } = source
  return (
    <>
      <VisibilityBadge visibility={effective_visibility} />{' '}
      <span className="dimmed">
        through {source.resource_type}{' '}
        <Link to="/resources/$permissionId" params={{ permissionId }} className="link">
          <bdi>{titleOf(source)}</bdi>
        </Link>
      </span>
    </>
  )
}

/** Shows who sees the resource of a page, which only lists contain. */
export function EffectiveVisibility({ resource }: { resource: Resource }) {
  const { service_name, resource_type, resource_id: external_id } = resource
  const filters = { service_name, resource_type, external_id, page: 1, page_size: 1 }
  const [listed] = useQuery(resourcesQuery(filters)).data?.items ?? []
  if (!listed) return <VisibilityBadge visibility={resource.visibility} />
  return <VisibilityOf resource={listed} />
}
