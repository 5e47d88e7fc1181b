import type { RequestScope } from '../../../core/request-scope.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createUsefulness } from './usefulness.ts'

/**
 * Whether a query was served from memory. `changed` means that it was cached, but may have changed.
 */
export type CacheResult = 'hit' | 'miss' | 'changed'

/** A value that was loaded when the feed was at this version or a later one. */
export type Entry<Value> = { value: Value; version: number }

export type VerifiedCacheOptions<Query, Found extends { isComplete: boolean }, Result> = {
  feed: ChangeFeed
  load: (query: Query, scope?: RequestScope) => Promise<Result>
  /** Returns the cached entries for a query. They are complete if none is missing. */
  find(query: Query): Found
  /** Whether `found`, which is complete, is unchanged as of the last refresh of the feed. */
  isCurrent(query: Query, found: Found): boolean
  /** Returns the result of complete entries that were verified at `now`. */
  read(found: Found, now: string): Result
  store(query: Query, found: Found, result: Result, version: number): void
  onQuery?: ((result: CacheResult) => void) | undefined
}

/**
 * Adds a cache to `load`. A cached result is returned only after a statement, which concurrent
 * callers share, has verified that it is unchanged. The guarantees are therefore the same as without
 * the cache: the result includes every write that was acknowledged before the call, and reflects a
 * single point in time. A query whose entries are not all cached is loaded at once, without a
 * verification.
 */
export function createVerifiedCache<
  Query extends { workspaceId?: string | undefined },
  Found extends { isComplete: boolean },
  Result,
>({
  feed,
  load,
  find,
  isCurrent,
  read,
  store,
  onQuery = () => {},
}: VerifiedCacheOptions<Query, Found, Result>): (
  query: Query,
  scope?: RequestScope,
) => Promise<Result> {
  const usefulness = createUsefulness()

  return (query, scope) => {
    if (!usefulness.skips()) return loadThroughCache(query, scope)
    onQuery('miss')
    return load(query, scope)
  }

  async function loadThroughCache(query: Query, scope: RequestScope | undefined) {
    const found = find(query)
    // If the entries are already known to be stale, verifying them would only delay the load.
    if (found.isComplete && isCurrent(query, found)) {
      const now = await feed.refresh(query.workspaceId ?? '', scope)
      if (isCurrent(query, found)) {
        onQuery('hit')
        usefulness.record(true)
        return read(found, now)
      }
    }
    onQuery(found.isComplete ? 'changed' : 'miss')
    usefulness.record(false)
    // Read before loading: a change that commits during the load then gets a newer version and
    // invalidates the entry.
    const version = feed.current()
    const result = await load(query, scope)
    store(query, found, result, version)
    return result
  }
}
