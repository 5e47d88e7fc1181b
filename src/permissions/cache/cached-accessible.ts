import type { AccessibleIds, AccessibleQuery } from '../accessible-batch.ts'
import type { LoadAccessible } from '../load-accessible.ts'
import { isAccepted, statusKey } from './caller.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createRecentMap } from './recent-map.ts'
import { type CacheResult, createVerifiedCache, type Entry } from './verified-cache.ts'

export type CachedAccessibleOptions = {
  loadAccessible: LoadAccessible
  feed: ChangeFeed
  maxBytes: number
  onQuery?: ((result: CacheResult) => void) | undefined
}

/**
 * Wraps `loadAccessible` with a cache of pages. A page is reloaded after any change in its
 * workspace, because any resource may enter or leave the list.
 */
export function createCachedAccessible({
  loadAccessible,
  feed,
  maxBytes,
  onQuery,
}: CachedAccessibleOptions): LoadAccessible {
  const lists = createRecentMap<Entry<AccessibleIds>>(
    maxBytes,
    ({ value }) => value.joinedIds.length,
  )
  return createVerifiedCache<AccessibleQuery, Entry<AccessibleIds>, AccessibleIds>({
    feed,
    load: loadAccessible,
    find: (query) => lists.get(listKey(query)),
    isCurrent: ({ workspaceId, userId, tokenId }, { version }) =>
      feed.isWorkspaceUnchanged(version, { workspaceId, itemIds: [userId, tokenId] }),
    read: ({ value }) => value,
    store(query, value, version) {
      if (isAccepted(query, value.status)) lists.set(listKey(query), { value, version })
    },
    onQuery,
  })
}

/** Line breaks separate the parts, none of which can contain one. */
function listKey(query: AccessibleQuery): string {
  const { service_name, resource_type, action, firstId, limit } = query
  return `${statusKey(query)}\n${service_name}\n${resource_type}\n${action}\n${firstId}\n${limit}`
}
