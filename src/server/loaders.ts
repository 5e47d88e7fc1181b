import type { Database } from '../database/database.ts'
import { createCachedAccessible } from '../permissions/cache/cached-accessible.ts'
import { createCachedFacts } from '../permissions/cache/cached-facts.ts'
import { createChangeFeed } from '../permissions/cache/change-feed.ts'
import type { CacheResult } from '../permissions/cache/verified-cache.ts'
import type { LoadFacts } from '../permissions/facts.ts'
import { createLoadAccessible, type LoadAccessible } from '../permissions/load-accessible.ts'
import { createLoadFacts } from '../permissions/load-facts.ts'

/** The functions that load the facts of checks and the lists. */
export type Loaders = { loadFacts: LoadFacts; loadAccessible: LoadAccessible }

/** The share of the cache that facts may take. Lists take the rest. */
const factsShare = 0.7

export type LoaderObservers = {
  /** Called with the number of calls that share a facts statement. */
  onFactsBatch?: (callers: number) => void
  /** Called for each query for facts or lists, if there is a cache. */
  onCachedQuery?: (result: CacheResult) => void
}

/**
 * Creates the loaders of checks and lists, with a cache if `maxFactsCacheBytes` is set. A node with
 * replicas has no cache: a standby can show a commit before the primary does, so its results could
 * be newer than the last change that the node knows of.
 */
export function createLoaders(
  database: Pick<Database, 'reads' | 'statements' | 'replicas'>,
  { onFactsBatch, onCachedQuery: onQuery }: LoaderObservers,
  { maxFactsCacheBytes: maxBytes = 0 }: { maxFactsCacheBytes?: number },
): Loaders {
  const loadFacts = createLoadFacts(database.reads, onFactsBatch)
  const loadAccessible = createLoadAccessible(database.reads)
  if (maxBytes === 0 || database.replicas) return { loadFacts, loadAccessible }
  const feed = createChangeFeed(database.statements)
  return {
    loadFacts: createCachedFacts({ loadFacts, feed, maxBytes: maxBytes * factsShare, onQuery }),
    loadAccessible: createCachedAccessible({
      loadAccessible,
      feed,
      maxBytes: maxBytes * (1 - factsShare),
      onQuery,
    }),
  }
}
