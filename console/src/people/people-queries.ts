import { queryOptions } from '@tanstack/react-query'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { definedOnly } from '../api/defined-only.ts'
import { refreshNames } from '../api/names.ts'
import { queryClient } from '../api/query-client.ts'

export type Person = Schemas['UserDetail']

export type PeopleFilters = {
  q?: string | undefined
  page?: number | undefined
  page_size?: number | undefined
  is_active?: boolean | undefined
  is_admin?: boolean | undefined
  has_signed_in?: boolean | undefined
}

export function peopleQuery(filters: PeopleFilters) {
  const query = definedOnly(filters)
  return queryOptions({
    queryKey: ['people', 'list', query],
    queryFn: ({ signal }) => unwrap(api.GET('/admin/users', { params: { query }, signal })),
  })
}

export function personQuery(userId: string) {
  return queryOptions({
    queryKey: ['people', 'detail', userId],
    queryFn: () =>
      unwrap(api.GET('/admin/users/{user_id}', { params: { path: { user_id: userId } } })),
  })
}

/** Reloads everything that shows people, after a change. */
export async function refreshPeople(): Promise<void> {
  await Promise.all([queryClient.invalidateQueries({ queryKey: ['people'] }), refreshNames()])
}
