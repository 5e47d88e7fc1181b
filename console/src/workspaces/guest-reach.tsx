import { queryOptions, useQuery } from '@tanstack/react-query'
import { fetchNow } from '../api/query-client.ts'
import { isWorkspaceConsole } from '../console-kind.ts'
import { type ResourceFilters, resourcesQuery } from '../resources/resource-queries.ts'
import { addInheriting } from './inherited-reach.ts'

type Props = {
  workspaceId: string
  /** Undefined for a person who has nothing in the workspace yet. */
  userId: string | undefined
}

/** Says how many of the resources of a workspace a person sees as a guest. */
export function GuestReach(props: Props) {
  return isWorkspaceConsole ? null : <Reach {...props} />
}

function Reach({ workspaceId, userId }: Props) {
  const { data } = useQuery(reachQuery(workspaceId, userId))
  if (!data || data.total === 0) return null
  const seen = `${data.isComplete ? '' : 'at least '}${data.seen.toLocaleString()}`
  return (
    <>
      Sees {seen} of {data.total.toLocaleString()} resources in the workspace.
    </>
  )
}

/** The largest page of resources. */
const pageSize = 100

/** The most resources of a workspace of which those in folders are counted. */
const maxResources = 1000

/**
 * Counts the resources that a guest sees: public ones, their own, and those that are shared with them
 * or their groups, and what inherits from these. The API lists neither their union nor what inherits,
 * so all resources of the workspace are read unless there are too many.
 */
function reachQuery(workspaceId: string, userId: string | undefined) {
  const read = (filters: ResourceFilters) =>
    fetchNow(
      resourcesQuery({ workspace_id: workspaceId, page: 1, page_size: pageSize, ...filters }),
    )
  return queryOptions({
    queryKey: ['resources', 'guest-reach', workspaceId, userId],
    queryFn: async () => {
      const first = await read({})
      const { total } = first
      const readsAll = total <= maxResources
      const further = readsAll ? Math.ceil(total / pageSize) - 1 : 0
      const others = Array.from({ length: Math.max(further, 0) }, (_, index) =>
        read({ page: index + 2 }),
      )
      const resources = [first, ...(await Promise.all(others))].flatMap(({ items }) => items)
      const pages = [await read({ visibility: 'public' })]
      if (userId !== undefined) {
        pages.push(await read({ owner_id: userId }))
        pages.push(await read({ grantee_id: userId, effective: true }))
      }
      const direct = new Set(pages.flatMap(({ items }) => items.map(({ id }) => id)))
      return {
        total,
        seen: addInheriting(resources, direct).size,
        isComplete: readsAll && pages.every(({ total }) => total <= pageSize),
      }
    },
  })
}
