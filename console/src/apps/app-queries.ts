import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { refreshNames } from '../api/names.ts'
import { queryClient } from '../api/query-client.ts'

export type ServiceApp = Schemas['ServiceAppResponse']
export type ClientApp = Schemas['ClientAppResponse']
export type ManagementApp = Schemas['ManagementAppResponse']

export const serviceAppsQuery = queryOptions({
  queryKey: ['service-apps'],
  queryFn: () => unwrap(api.GET('/admin/service-apps')),
})

/** Reads one app, so that the console knows the version that the page shows. */
export function serviceAppQuery(appId: string) {
  return queryOptions({
    queryKey: ['service-apps', appId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/service-apps/{service_app_id}', {
          params: { path: { service_app_id: appId } },
        }),
      ),
  })
}

/** Reads one app, so that the console knows the version that the page shows. */
export function clientAppQuery(appId: string) {
  return queryOptions({
    queryKey: ['client-apps', appId],
    queryFn: () =>
      unwrap(
        api.GET('/admin/client-apps/{client_app_id}', {
          params: { path: { client_app_id: appId } },
        }),
      ),
  })
}

export const clientAppsQuery = queryOptions({
  queryKey: ['client-apps'],
  queryFn: () => unwrap(api.GET('/admin/client-apps')),
})

export const managementAppsQuery = queryOptions({
  queryKey: ['management-apps'],
  queryFn: () => unwrap(api.GET('/admin/management-apps')),
})

/** Reloads everything that shows apps, after a change. */
export async function refreshApps(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['service-apps'] }),
    queryClient.invalidateQueries({ queryKey: ['client-apps'] }),
    queryClient.invalidateQueries({ queryKey: ['management-apps'] }),
    refreshNames(),
    // The statistics report whether the server is in development mode.
    queryClient.invalidateQueries({ queryKey: ['stats'] }),
  ])
}
