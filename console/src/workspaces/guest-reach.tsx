import { queryOptions, useQuery } from '@tanstack/react-query'
import { fetchNow } from '../api/query-client.ts'
import { isWorkspaceConsole } from '../console-kind.ts'
import { personQuery } from '../people/people-queries.ts'
import { type ResourceFilters, resourcesQuery } from '../resources/resource-queries.ts'

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
      Sees {seen} of {data.total.toLocaleString()} resources in the workspace, and what folders and
      nested groups add.
    </>
  )
}

/** The most resources of a kind that are counted exactly. */
const pageSize = 100

/**
 * Counts the resources that a guest sees: public ones, their own, and those that are shared with them
 * or their groups. The API has no list of both their union and what inherits from it.
 */
function reachQuery(workspaceId: string, userId: string | undefined) {
  const read = (filters: ResourceFilters) =>
    fetchNow(
      resourcesQuery({ workspace_id: workspaceId, page: 1, page_size: pageSize, ...filters }),
    )
  return queryOptions({
    queryKey: ['resources', 'guest-reach', workspaceId, userId],
    queryFn: async () => {
      const all = await read({ page_size: 1 })
      const pages = [await read({ visibility: 'public' })]
      if (userId !== undefined) {
        const { groups } = await fetchNow(personQuery(userId))
        const grantees = groups
          .filter(({ workspace_id }) => workspace_id === workspaceId)
          .map(({ id }) => id)
        pages.push(await read({ owner_id: userId }))
        for (const grantee_id of [userId, ...grantees]) pages.push(await read({ grantee_id }))
      }
      return {
        total: all.total,
        seen: new Set(pages.flatMap(({ items }) => items.map(({ id }) => id))).size,
        isComplete: pages.every(({ total }) => total <= pageSize),
      }
    },
  })
}
