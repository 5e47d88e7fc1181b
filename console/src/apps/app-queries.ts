import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { refreshNames } from '../api/names.ts'
import { queryClient } from '../api/query-client.ts'

export type ServiceApp = Schemas['ServiceAppResponse']
export type ClientApp = Schemas['ClientAppResponse']

export const serviceAppsQuery = queryOptions({
  queryKey: ['service-apps'],
  queryFn: () => unwrap(api.GET('/admin/service-apps')),
})

export const clientAppsQuery = queryOptions({
  queryKey: ['client-apps'],
  queryFn: () => unwrap(api.GET('/admin/client-apps')),
})

/** Reloads everything that shows apps, after a change. */
export async function refreshApps(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['service-apps'] }),
    queryClient.invalidateQueries({ queryKey: ['client-apps'] }),
    refreshNames(),
    // The statistics report whether the server is in development mode.
    queryClient.invalidateQueries({ queryKey: ['stats'] }),
  ])
}
