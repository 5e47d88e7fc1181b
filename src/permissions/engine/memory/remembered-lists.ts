import type { List, ListQuery, LoadList } from '../lists/list.ts'
import { isAccepted, statusKey } from './caller.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createMemory, type Memory } from './memory.ts'
import { type CacheResult, createVerifiedCache, type Entry } from './verified-cache.ts'

export type RememberedListsOptions = {
  loadList: LoadList
  feed: ChangeFeed
  memory: ListMemory
  /** What the lists contain; different ones can share a memory. */
  of?: string
  onQuery?: ((result: CacheResult) => void) | undefined
}

/** Pages of lists by their queries. */
export type ListMemory = Memory<Entry<List>>

/** Creates a memory that takes at most about `maxBytes`. */
export function createListMemory(maxBytes: number): ListMemory {
  return createMemory<Entry<List>>(maxBytes, ({ value }) => value.joinedIds.length)
}

/** The page that is cached for a query. */
type FoundPage = { isComplete: boolean; key: string; entry: Entry<List> | undefined }

/**
 * Wraps `loadList` with a memory of pages. A page is reloaded after any change in its workspace,
 * because any resource may enter or leave the list.
 */
export function createRememberedLists({
  loadList,
  feed,
  memory,
  of = '',
  onQuery,
}: RememberedListsOptions): LoadList {
  return createVerifiedCache<ListQuery, FoundPage, List>({
    feed,
    load: loadList,
    find(query) {
      const key = `${of}\n${listKey(query)}`
      const entry = memory.get(key)
      return { isComplete: entry !== undefined, key, entry }
    },
    isCurrent: ({ workspaceId, userId, tokenId, delegationId }, { entry }) =>
      entry !== undefined &&
      feed.isWorkspaceUnchanged(entry.version, {
        workspaceId,
        itemIds: [userId, tokenId, delegationId],
      }),
    read: ({ entry }) => (entry as Entry<List>).value,
    store(query, { key }, value, version) {
      if (isAccepted(query, value.status)) memory.set(key, { value, version })
    },
    onQuery,
  })
}

/** Line breaks separate the parts, none of which can contain one. */
function listKey(query: ListQuery): string {
  const { serviceName, resourceType, action, firstId, limit } = query
  return `${statusKey(query)}\n${serviceName}\n${resourceType}\n${action}\n${firstId}\n${limit}`
}
