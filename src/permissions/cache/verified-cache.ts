import type { RequestScope } from '../../core/request-scope.ts'
import type { ChangeFeed } from './change-feed.ts'

/** Whether a query was served from memory; `changed`: what was in memory may have changed. */
export type CacheResult = 'hit' | 'miss' | 'changed'

/** A value that was loaded when the feed had this version, or later. */
export type Entry<Value> = { value: Value; version: number }

export type VerifiedCacheOptions<Query, Known, Result> = {
  feed: ChangeFeed
  load: (query: Query, scope?: RequestScope) => Promise<Result>
  /** Returns what is in memory about a query, or undefined if something is missing. */
  find(query: Query): Known | undefined
  /** Whether nothing that `known` depends on has changed, as far as the feed knows. */
  isCurrent(query: Query, known: Known): boolean
  read(known: Known): Result
  store(query: Query, result: Result, version: number): void
  onQuery?: ((result: CacheResult) => void) | undefined
}

/**
 * Creates a function that returns what is in memory only after one statement, which concurrent callers share,
 * has proved that it has not changed, and otherwise loads it. So the result is the same as without the cache:
 * it includes every write that was acknowledged before the call, and all of it is of one moment.
 */
export function createVerifiedCache<
  Query extends { workspaceId: string | undefined },
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
    // What has changed already needs no proof, and would wait for two statements.
    const isPromising = known !== undefined && isCurrent(query, known)
    if (isPromising) {
      await feed.refresh(query.workspaceId ?? '', scope)
      if (isCurrent(query, known)) {
        onQuery('hit')
        return read(known)
      }
    }
    onQuery(known === undefined ? 'miss' : 'changed')
    // Before it is loaded: the feed learns of a change in between later, with a newer version.
    const version = feed.current()
    const result = await load(query, scope)
    store(query, result, version)
    return result
  }
}
