import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { definedOnly } from '../api/defined-only.ts'
import { queryClient } from '../api/query-client.ts'

export type Grant = Schemas['Grant']

/** The owners and admins of a workspace can list only all grants in it. */
export type GrantFilters = {
  client_id?: string | undefined
  host?: string | undefined
  user_id?: string | undefined
  workspace_id?: string | undefined
  resource?: string | undefined
}

/** The grants of a client, or of the clients of a host. */
export type GrantTarget = { client_id: string } | { host: string }

export function grantsQuery(filters: GrantFilters & { page: number; page_size: number }) {
  const query = definedOnly(filters)
  return queryOptions({
    queryKey: ['grants', query],
    queryFn: ({ signal }) => unwrap(api.GET('/admin/grants', { params: { query }, signal })),
  })
}

export async function endGrant({ id }: Grant): Promise<void> {
  await unwrap(api.DELETE('/admin/grants/{grant_id}', { params: { path: { grant_id: id } } }))
  await refreshGrants()
}

/** Ends all grants of a client or host, and returns their number. */
export async function endGrants(target: GrantTarget): Promise<number> {
  const { ended } = await unwrap(api.DELETE('/admin/grants', { params: { query: target } }))
  await refreshGrants()
  return ended
}

/** Reloads the lists of grants after a change. */
export function refreshGrants(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['grants'] })
}
