import { grant } from '../../access.ts'
import type { Facts, FactsQuery, LoadFacts } from '../facts.ts'
import type { Check, PrincipalStatus, Subject } from '../question.ts'
import { isAccepted, statusKey } from './caller.ts'
import type { ChangeFeed } from './change-feed.ts'
import { createMemory } from './memory.ts'
import { type CacheResult, createVerifiedCache, type Entry } from './verified-cache.ts'

export type RememberedFactsOptions = {
  loadFacts: LoadFacts
  feed: ChangeFeed
  maxBytes: number
  onQuery?: ((result: CacheResult) => void) | undefined
}

/** The share of the memory for statuses. The facts of checks take the rest: there are more. */
const statusShare = 0.3

/** The entries in memory for a query. */
type KnownFacts = { status: Entry<PrincipalStatus>; bits: Entry<number>[] }

/**
 * Wraps `loadFacts` with a memory. Statuses and the facts of checks are separate entries, so that
 * different queries can use the same ones.
 */
export function createRememberedFacts({
  loadFacts,
  feed,
  maxBytes,
  onQuery,
}: RememberedFactsOptions): LoadFacts {
  const statuses = createMemory<Entry<PrincipalStatus>>(maxBytes * statusShare)
  const bits = createMemory<Entry<number>>(maxBytes * (1 - statusShare))

  function find(query: FactsQuery): KnownFacts | undefined {
    const status = statuses.get(statusKey(query))
    if (!status) return undefined
    const known: KnownFacts = { status, bits: [] }
    for (const check of query.checks) {
      const entry = bits.get(checkKey(check, check.subject ?? query))
      if (!entry) return undefined
      known.bits.push(entry)
    }
    return known
  }

  function isCurrent(query: FactsQuery, known: KnownFacts): boolean {
    const { workspaceId, userId, tokenId, checks } = query
    const ofCaller = { workspaceId, itemIds: [userId, tokenId] }
    if (!feed.isUnchanged(known.status.version, ofCaller)) return false
    return checks.every(({ resource_id, subject = query }, index) => {
      const { value, version } = known.bits[index] as Entry<number>
      // The facts depend on the workspace of the resource. It is any one if the subject is not limited
      // to a workspace, or if the resource is not in that workspace, where it may become public.
      const isInside = (value & grant.registered) !== 0
      return feed.isUnchanged(version, {
        workspaceId: (isInside && subject.workspaceId) || 'any',
        itemIds: [subject.userId, subject.tokenId, resource_id.toLowerCase()],
      })
    })
  }

  function store(query: FactsQuery, facts: Facts, version: number): void {
    if (!isAccepted(query, facts.status)) return
    statuses.set(statusKey(query), { value: facts.status, version })
    for (const [index, check] of query.checks.entries()) {
      const subject = check.subject ?? query
      // Changes to the e-mail addresses and external IDs of users are not recorded.
      if (subject.userId === undefined) continue
      bits.set(checkKey(check, subject), { value: facts.bits[index] as number, version })
    }
  }

  const read = ({ status, bits }: KnownFacts): Facts => ({
    status: status.value,
    bits: bits.map(({ value }) => value),
  })

  return createVerifiedCache({ feed, load: loadFacts, find, isCurrent, read, store, onQuery })
}

/** Line breaks separate the parts, none of which can contain one. */
function checkKey(
  { service_name, resource_type, resource_id, action }: Check,
  { userId = '', tokenId = '', workspaceId = '' }: Subject,
): string {
  const resource = resource_id.toLowerCase()
  return `${workspaceId}\n${userId}\n${tokenId}\n${service_name}\n${resource_type}\n${resource}\n${action}`
}
