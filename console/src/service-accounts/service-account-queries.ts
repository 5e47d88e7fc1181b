import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { refreshNames } from '../api/names.ts'
import { queryClient } from '../api/query-client.ts'
import { refreshWorkspaces } from '../workspaces/workspace-queries.ts'

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

export function apiKeysQuery(account: ServiceAccount) {
  return queryOptions({
    queryKey: ['service-accounts', 'keys', account.id],
    queryFn: () =>
      unwrap(
        api.GET('/admin/workspaces/{workspace_id}/service-accounts/{service_account_id}/keys', {
          params: pathOf(account),
        }),
      ),
  })
}

/** Changes a service account. */
export async function updateAccount(
  account: ServiceAccount,
  body: Schemas['ServiceAccountUpdateRequest'],
): Promise<void> {
  await unwrap(
    api.PATCH('/admin/workspaces/{workspace_id}/service-accounts/{service_account_id}', {
      params: pathOf(account),
      body,
    }),
  )
  await refreshServiceAccounts()
}

/** Deletes a service account. `transferTo` is the member who receives its resources. */
export async function deleteAccount(
  account: ServiceAccount,
  transferTo: string | null,
): Promise<void> {
  const query = transferTo ? { transfer_to: transferTo } : {}
  await unwrap(
    api.DELETE('/admin/workspaces/{workspace_id}/service-accounts/{service_account_id}', {
      params: { ...pathOf(account), query },
    }),
  )
  await refreshServiceAccounts()
}

/** Creates an API key and returns it. */
export async function createApiKey(
  account: ServiceAccount,
  body: Schemas['ApiKeyCreateRequest'],
): Promise<string | undefined> {
  const { key } = await unwrap(
    api.POST('/admin/workspaces/{workspace_id}/service-accounts/{service_account_id}/keys', {
      params: pathOf(account),
      body,
    }),
  )
  await refreshServiceAccounts()
  return key ?? undefined
}

export async function revokeApiKey(account: ServiceAccount, key: ApiKey): Promise<void> {
  const { path } = pathOf(account)
  await unwrap(
    api.DELETE(
      '/admin/workspaces/{workspace_id}/service-accounts/{service_account_id}/keys/{key_id}',
      { params: { path: { ...path, key_id: key.id } } },
    ),
  )
  await refreshServiceAccounts()
}

function pathOf({ id, workspace_id }: ServiceAccount) {
  return { path: { workspace_id, service_account_id: id } }
}

/** Reloads everything that shows service accounts, which are members, too. */
export async function refreshServiceAccounts(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['service-accounts'] }),
    refreshWorkspaces(),
    refreshNames(),
  ])
}
