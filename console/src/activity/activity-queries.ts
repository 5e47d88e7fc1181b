import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { operations } from '../../gen/rest-api.ts'
import { api, type Schemas, unwrap } from '../api/client.ts'
import { definedOnly } from '../api/defined-only.ts'
import { queryClient } from '../api/query-client.ts'

export type ActivityEntry = Schemas['ActivityEntry']

type Query = NonNullable<operations['AdminService_ListActivity']['parameters']['query']>

export type ActivityFilter = {
  [Name in Exclude<keyof Query, 'limit' | 'before'>]?: Query[Name] | undefined
}

/** The number of entries per page. */
const pageSize = 50

type ActivityPage = Schemas['ListActivityResponse']

/** Loads the entries that match a filter page by page, newest first. */
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
    // People open the log to see what they have just done.
    staleTime: 0,
  })
}

/** Loads the newest entries that match a filter, for the live log. */
export function newestActivityQuery(filter: ActivityFilter) {
  const query = { ...definedOnly(filter), limit: pageSize }
  return queryOptions({
    queryKey: ['activity', 'newest', query],
    queryFn: ({ signal }) => unwrap(api.GET('/admin/activity', { params: { query }, signal })),
    staleTime: 0,
  })
}

/** Loads one entry; null if the log does not contain it. */
export function entryQuery(id: string) {
  return queryOptions({
    queryKey: ['activity', 'entry', id],
    queryFn: async ({ signal }) => {
      const before = followingId(id)
      if (!before) return null
      const query = { before, limit: 1 }
      const { items } = await unwrap(api.GET('/admin/activity', { params: { query }, signal }))
      return items.find((entry) => entry.id === id) ?? null
    },
  })
}

/** Returns the UUID after another one, or undefined if the text is not a UUID. */
function followingId(id: string): string | undefined {
  const digits = id.replaceAll('-', '')
  if (!/^[0-9a-f]{32}$/.test(digits) || /^f+$/.test(digits)) return undefined
  const next = (BigInt(`0x${digits}`) + 1n).toString(16).padStart(32, '0')
  return next.replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5')
}

/**
 * Adds the newest entries to those that are shown, so that older pages do not have to be loaded
 * again.
 */
export function addNewest(filter: ActivityFilter, newest: ActivityPage): void {
  queryClient.setQueryData(activityQuery(filter).queryKey, (data) => {
    const [first, ...older] = data?.pages ?? []
    const known = new Set(first?.items.map(({ id }) => id))
    const added = newest.items.filter(({ id }) => !known.has(id))
    if (!data || !first || added.length === newest.items.length) {
      // There may be entries between these and the ones that are shown.
      return { pages: [newest], pageParams: [undefined] }
    }
    if (added.length === 0) return data
    return { ...data, pages: [{ ...first, items: [...added, ...first.items] }, ...older] }
  })
}

/**
 * The maximum number of entries in an export from the console. The command-line tool has no limit.
 */
export const maxExported = 10_000

/** Loads all entries that match a filter, up to the limit, for an export. */
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
