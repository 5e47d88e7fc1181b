import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { definedOnly } from '../api/defined-only.ts'
import { fetchNow, queryClient } from '../api/query-client.ts'
import { isWorkspaceConsole } from '../console-kind.ts'
import { loadAll, loadPages } from '../ui/load-rows.ts'
import type { Option } from '../ui/select.tsx'

export type Delegation = Schemas['Delegation']

export type DelegationFilters = {
  user_id?: string | undefined
  agent_id?: string | undefined
  workspace_id?: string | undefined
}

type Paging = { page: number; page_size: number }

/** Loads a page of delegations. Members have a route for the list of their workspace alone, which is whole. */
export function delegationsQuery({ page, page_size, ...filters }: DelegationFilters & Paging) {
  const query = definedOnly(filters)
  return queryOptions({
    queryKey: ['delegations', query, page, page_size],
    queryFn: async ({ signal }) => {
      const { workspace_id, ...others } = query
      if (!isWorkspaceConsole || !workspace_id) {
        const params = { query: { ...query, page, page_size } }
        return unwrap(api.GET('/admin/delegations', { params, signal }))
      }
      const params = { path: { workspace_id }, query: others }
      const all = await unwrap(
        api.GET('/workspaces/{workspace_id}/delegations', { params, signal }),
      )
      const start = (page - 1) * page_size
      return { items: all.slice(start, start + page_size), total: all.length }
    },
  })
}

/** Loads the agents with a delegation in a workspace, as options. */
export function workspaceAgentsQuery(workspace_id: string) {
  return queryOptions({
    queryKey: ['delegations', 'agents', workspace_id],
    queryFn: async (): Promise<Option[]> => {
      const load = (paging: Paging) => fetchNow(delegationsQuery({ workspace_id, ...paging }))
      const delegations = await loadAll(loadPages(load))
      const names = new Map(delegations.map(({ agent: { id, name } }) => [id, name]))
      return [...names].map(([value, label]) => ({ value, label }))
    },
  })
}

export async function endDelegation({ id }: Delegation): Promise<void> {
  const params = { path: { delegation_id: id } }
  await unwrap(api.DELETE('/admin/delegations/{delegation_id}', { params }))
  await refreshDelegations()
}

/** Reloads the lists of delegations after a change. */
export function refreshDelegations(): Promise<void> {
  return queryClient.invalidateQueries({ queryKey: ['delegations'] })
}
