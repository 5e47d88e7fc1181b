import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
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

/** Reads all that shows apps again, after a change. */
export async function refreshApps(): Promise<void> {
  await Promise.all([
    queryClient.invalidateQueries({ queryKey: ['service-apps'] }),
    queryClient.invalidateQueries({ queryKey: ['client-apps'] }),
    // Whether the server is in development mode.
    queryClient.invalidateQueries({ queryKey: ['stats'] }),
  ])
}

/** How long older keys remain valid after a rotation, in seconds. */
export const overlaps = [
  { value: '0', label: 'Not at all' },
  { value: '3600', label: 'One hour' },
  { value: '86400', label: 'One day' },
  { value: '604800', label: 'One week' },
  { value: '2592000', label: '30 days' },
]
