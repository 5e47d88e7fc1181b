import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { queryClient } from '../api/query-client.ts'
import { refreshWorkspaces } from './workspace-queries.ts'

export type ServiceAccount = Schemas['ServiceAccountResponse']
export type ApiKey = Schemas['ApiKeyResponse']

export function serviceAccountsQuery(workspaceId: string) {
  return queryOptions({
    queryKey: ['service-accounts', 'list', workspaceId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/workspaces/{workspace_id}/service-accounts', {
          params: { path: { workspace_id: workspaceId } },
        }),
      ),
  })
}

export function apiKeysQuery({ workspace_id, id }: ServiceAccount) {
  return queryOptions({
    queryKey: ['service-accounts', 'keys', id],
    queryFn: () =>
      unwrap(
        api.GET('/admin/workspaces/{workspace_id}/service-accounts/{service_account_id}/keys', {
          params: { path: { workspace_id, service_account_id: id } },
        }),
      ),
  })
}

/** Reloads everything that shows service accounts, which are also members, after a change. */
export async function refreshServiceAccounts(): Promise<void> {
  const accounts = queryClient.invalidateQueries({ queryKey: ['service-accounts'] })
  await Promise.all([accounts, refreshWorkspaces()])
}
