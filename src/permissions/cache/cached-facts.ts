import type { Facts, FactsQuery, LoadFacts, PermissionCheck, PrincipalStatus } from '../facts.ts'
import { isAccepted, statusKey } from './caller.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createRecentMap } from './recent-map.ts'
import { type CacheResult, createVerifiedCache, type Entry } from './verified-cache.ts'

export type CachedFactsOptions = {
  loadFacts: LoadFacts
  feed: ChangeFeed
  maxBytes: number
  onQuery?: ((result: CacheResult) => void) | undefined
}

/** The share of the memory for statuses. Grants take the rest, because there are more of them. */
const statusShare = 0.3

/** The cached entries for a query. */
type KnownFacts = { status: Entry<PrincipalStatus>; grants: Entry<number>[] }

/**
 * Wraps `loadFacts` with a cache. Statuses and grants are cached separately, so that different
 * queries can use the same entries.
 */
export function createCachedFacts({
  loadFacts,
  feed,
  maxBytes,
  onQuery,
}: CachedFactsOptions): LoadFacts {
  const statuses = createRecentMap<Entry<PrincipalStatus>>(maxBytes * statusShare)
  const grants = createRecentMap<Entry<number>>(maxBytes * (1 - statusShare))

  function find(query: FactsQuery): KnownFacts | undefined {
    const status = statuses.get(statusKey(query))
    if (!status) return undefined
    const known: KnownFacts = { status, grants: [] }
    for (const check of query.checks) {
      const entry = grants.get(grantsKey(query, check))
      if (!entry) return undefined
      known.grants.push(entry)
    }
    return known
  }

  function isCurrent(
    { workspaceId, userId, tokenId, checks }: FactsQuery,
    { status, grants }: KnownFacts,
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
    if (!isAccepted(query, facts.status)) return
    statuses.set(statusKey(query), { value: facts.status, version })
    for (const [index, check] of query.checks.entries()) {
      grants.set(grantsKey(query, check), { value: facts.grants[index] as number, version })
    }
  }

  const read = ({ status, grants }: KnownFacts): Facts => ({
    status: status.value,
    grants: grants.map(({ value }) => value),
  })

  return createVerifiedCache({ feed, load: loadFacts, find, isCurrent, read, store, onQuery })
}

/** Line breaks separate the parts, none of which can contain one. */
function grantsKey(
  { userId = '', workspaceId = '' }: FactsQuery,
  { service_name, resource_type, resource_id, action }: PermissionCheck,
): string {
  const resource = resource_id.toLowerCase()
  return `${workspaceId}\n${userId}\n${service_name}\n${resource_type}\n${resource}\n${action}`
}
