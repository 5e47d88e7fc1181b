import type { List, ListQuery, LoadList } from '../list.ts'
import { isAccepted, statusKey } from './caller.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createMemory } from './memory.ts'
import { type CacheResult, createVerifiedCache, type Entry } from './verified-cache.ts'

export type RememberedListsOptions = {
  loadList: LoadList
  feed: ChangeFeed
  maxBytes: number
  onQuery?: ((result: CacheResult) => void) | undefined
}

/**
 * Wraps `loadList` with a memory of pages. A page is reloaded after any change in its workspace,
 * because any resource may enter or leave the list.
 */
export function createRememberedLists({
  loadList,
  feed,
  maxBytes,
  onQuery,
}: RememberedListsOptions): LoadList {
  const lists = createMemory<Entry<List>>(maxBytes, ({ value }) => value.joinedIds.length)
  return createVerifiedCache<ListQuery, Entry<List>, List>({
    feed,
    load: loadList,
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
function listKey(query: ListQuery): string {
  const { service_name, resource_type, action, firstId, limit } = query
  return `${statusKey(query)}\n${service_name}\n${resource_type}\n${action}\n${firstId}\n${limit}`
}
