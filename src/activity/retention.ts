import type { Transactional } from '../core/request-context.ts'
import type { ActivityStore } from './store/activity-store.ts'
import type { ChainStore } from './store/chain-store.ts'

/** The maximum number of entries that one transaction deletes. */
export const maxPrunedEntries = 10_000

const dayMilliseconds = 86_400_000

/**
 * Deletes up to `maxPrunedEntries` sealed entries that are older than `days`, starting at the
 * beginning of the hash chain. Records the hash of the last deleted entry, from which the chain
 * continues. Returns the number of deleted entries.
 */
export function pruneActivity(
  stores: Transactional<{ activity: ActivityStore; chain: ChainStore }>,
  now: Date,
  days: number,
): Promise<number> {
  const cutoff = now.getTime() - days * dayMilliseconds
  return stores.transaction(async (tx) => {
    if (!(await tx.chain.lock())) return 0
    const seals = await tx.chain.findOldestSeals(maxPrunedEntries)
    const firstKept = seals.findIndex(({ createdAt }) => new Date(createdAt).getTime() >= cutoff)
    const expired = firstKept === -1 ? seals : seals.slice(0, firstKept)
    const last = expired.at(-1)
    if (!last) return 0
    await tx.chain.deleteThrough(last)
    const detail = {
      entries: String(expired.length),
      through: String(last.sequence),
      hash: last.hash,
    }
    await tx.activity.record({ actorId: undefined }, { action: 'activity.pruned', detail })
    return expired.length
  })
}
