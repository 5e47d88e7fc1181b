import type { Facts, FactsQuery, LoadFacts, PermissionCheck, PrincipalStatus } from '../facts.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createRecentMap } from './recent-map.ts'

/** Whether a query was served from memory; `changed`: its facts were in memory but may have changed. */
export type CacheResult = 'hit' | 'miss' | 'changed'

export type CachedFactsOptions = {
  loadFacts: LoadFacts
  feed: ChangeFeed
  /** Grants and statuses that are kept, of each at most this many. */
  maxEntries: number
  onQuery?: ((result: CacheResult) => void) | undefined
}

/** A value that was loaded when the feed had this version, or later. */
type Entry<Value> = { value: Value; version: number }

/** What is known about a query. */
type Known = { status: Entry<PrincipalStatus>; grants: Entry<number>[] }

/**
 * Wraps `loadFacts` with a cache. Facts in memory are returned only after one statement, which concurrent
 * callers share, has proved that they have not changed. So the result is the same as without the cache: it
 * includes every write that was acknowledged before the call, and all its facts are of one moment.
 */
export function createCachedFacts({
  loadFacts,
  feed,
  maxEntries,
  onQuery = () => {},
}: CachedFactsOptions): LoadFacts {
  const statuses = createRecentMap<Entry<PrincipalStatus>>(maxEntries)
  const grants = createRecentMap<Entry<number>>(maxEntries)

  return async (query, scope) => {
    const known = findKnown(query)
    if (known) {
      await feed.refresh(query.workspaceId ?? '', scope)
      if (areCurrent(query, known)) {
        onQuery('hit')
        return { status: known.status.value, grants: known.grants.map(({ value }) => value) }
      }
    }
    onQuery(known ? 'changed' : 'miss')
    // Before the facts are loaded: a change in between is learned later, or is one version newer.
    const version = feed.current()
    const facts = await loadFacts(query, scope)
    if (isAccepted(query, facts.status)) store(query, facts, version)
    return facts
  }

  function findKnown(query: FactsQuery): Known | undefined {
    const status = statuses.get(statusKey(query))
    if (!status) return undefined
    const known: Known = { status, grants: [] }
    for (const check of query.checks) {
      const entry = grants.get(grantsKey(query, check))
      if (!entry) return undefined
      known.grants.push(entry)
    }
    // Without this, every query about changed facts would wait for two statements.
    return areCurrent(query, known) ? known : undefined
  }

  function areCurrent(
    { workspaceId, userId, tokenId, checks }: FactsQuery,
    { status, grants }: Known,
  ): boolean {
    if (!feed.isUnchanged(status.version, { workspaceId, itemIds: [userId, tokenId] })) return false
    return checks.every(({ resource_id }, index) =>
      feed.isUnchanged((grants[index] as Entry<number>).version, {
        workspaceId,
        itemIds: [userId, resource_id.toLowerCase()],
      }),
    )
  }

  function store(query: FactsQuery, facts: Facts, version: number): void {
    statuses.set(statusKey(query), { value: facts.status, version })
    for (const [index, check] of query.checks.entries()) {
      grants.set(grantsKey(query, check), { value: facts.grants[index] as number, version })
    }
  }
}

/** Only the facts of accepted credentials are kept, so that strangers cannot evict them. */
function isAccepted(
  { keyHash, userId }: FactsQuery,
  { service, keysRequired, tokenDenied, userActive }: PrincipalStatus,
): boolean {
  if (keyHash !== undefined && keysRequired && service === undefined) return false
  return userId === undefined || (userActive && !tokenDenied)
}

// A line break is in no part of a key.

function statusKey({ keyHash = '', tokenId = '', userId = '', workspaceId = '' }: FactsQuery) {
  return `${keyHash}\n${tokenId}\n${userId}\n${workspaceId}`
}

function grantsKey(
  { userId = '', workspaceId = '' }: FactsQuery,
  { service_name, resource_type, resource_id, action }: PermissionCheck,
) {
  const resource = resource_id.toLowerCase()
  return `${workspaceId}\n${userId}\n${service_name}\n${resource_type}\n${resource}\n${action}`
}
