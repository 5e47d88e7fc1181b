import { infiniteQueryOptions } from '@tanstack/react-query'
import type { operations } from '../../../gen/browser.ts'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { definedOnly } from '../api/defined-only.ts'

export type ActivityEntry = Schemas['ActivityEntry']

type Query = NonNullable<operations['AdminService_ListActivity']['parameters']['query']>

export type ActivityFilter = {
  [Name in Exclude<keyof Query, 'limit' | 'before'>]?: Query[Name] | undefined
}

/** The number of entries of a page. */
const pageSize = 50

/** The entries that match a filter, newest first, page after page. */
export function activityQuery(filter: ActivityFilter) {
  const query = definedOnly(filter)
  return infiniteQueryOptions({
    queryKey: ['activity', query],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam, signal }) =>
      unwrap(
        api.GET('/admin/activity', {
          params: { query: { ...query, limit: pageSize, ...(pageParam && { before: pageParam }) } },
          signal,
        }),
      ),
    getNextPageParam: ({ next_before }) => next_before ?? undefined,
  })
}

/** The most entries of an export from the console; the operator's tool exports without a limit. */
export const maxExported = 10_000

/** Reads all entries that match a filter, up to the limit, for an export. */
export async function readEntries(
  filter: ActivityFilter,
  onProgress: (count: number) => void,
): Promise<ActivityEntry[]> {
  const entries: ActivityEntry[] = []
  let before: string | undefined
  do {
    const query = { ...definedOnly(filter), limit: 200, ...(before && { before }) }
    const page = await unwrap(api.GET('/admin/activity', { params: { query } }))
    entries.push(...page.items)
    onProgress(entries.length)
    before = page.next_before ?? undefined
  } while (before && entries.length < maxExported)
  return entries
}
