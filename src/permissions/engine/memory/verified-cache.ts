import type { RequestScope } from '../../../core/request-scope.ts'
import type { ChangeFeed } from './change-feed.ts'

/**
 * Whether a query was served from memory. `changed` means that it was cached, but may have changed.
 */
export type CacheResult = 'hit' | 'miss' | 'changed'

/** A value that was loaded when the feed was at this version or a later one. */
export type Entry<Value> = { value: Value; version: number }

export type VerifiedCacheOptions<Query, Known, Result> = {
  feed: ChangeFeed
  load: (query: Query, scope?: RequestScope) => Promise<Result>
  /** Returns the cached entries for a query, or undefined if any is missing. */
  find(query: Query): Known | undefined
  /** Whether `known` is unchanged as of the last refresh of the feed. */
  isCurrent(query: Query, known: Known): boolean
  read(known: Known): Result
  store(query: Query, result: Result, version: number): void
  onQuery?: ((result: CacheResult) => void) | undefined
}

/**
 * Adds a cache to `load`. A cached result is returned only after a statement, which concurrent
 * callers share, has verified that it is unchanged. The guarantees are therefore the same as without
 * the cache: the result includes every write that was acknowledged before the call, and reflects a
 * single point in time.
 */
export function createVerifiedCache<
  Query extends { workspaceId?: string | undefined },
  Known,
  Result,
>({
  feed,
  load,
  find,
  isCurrent,
  read,
  store,
  onQuery = () => {},
}: VerifiedCacheOptions<Query, Known, Result>): (
  query: Query,
  scope?: RequestScope,
) => Promise<Result> {
  return async (query, scope) => {
    const known = find(query)
    // If the entries are already known to be stale, verifying them would only delay the load.
    const isPromising = known !== undefined && isCurrent(query, known)
    if (isPromising) {
      await feed.refresh(query.workspaceId ?? '', scope)
      if (isCurrent(query, known)) {
        onQuery('hit')
        return read(known)
      }
    }
    onQuery(known === undefined ? 'miss' : 'changed')
    // Read before loading: a change that commits during the load then gets a newer version and
    // invalidates the entry.
    const version = feed.current()
    const result = await load(query, scope)
    store(query, result, version)
    return result
  }
}
