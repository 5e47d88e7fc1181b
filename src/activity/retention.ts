import type { EntityManager } from '@mikro-orm/postgresql'
import { inTransaction } from '../database/transaction.ts'
import { deleteSealedRows, findOldestSeals, lockChain } from './chain-queries.ts'
import { recordActivity } from './record-activity.ts'

/** The maximum number of entries that one transaction deletes. */
export const maxPrunedEntries = 10_000

const dayMilliseconds = 86_400_000

/**
 * Deletes up to `maxPrunedEntries` sealed entries that are older than `days`, starting at the
 * beginning of the hash chain. Records the hash of the last deleted entry, from which the chain
 * continues. Returns the number of deleted entries.
 */
export function pruneActivity(em: EntityManager, now: Date, days: number): Promise<number> {
  const cutoff = now.getTime() - days * dayMilliseconds
  return inTransaction(em, async (em) => {
    const chain = await lockChain(em)
    if (!chain) return 0
    const seals = await findOldestSeals(em, maxPrunedEntries)
    const firstKept = seals.findIndex(({ created_at }) => new Date(created_at).getTime() >= cutoff)
    const expired = firstKept === -1 ? seals : seals.slice(0, firstKept)
    const last = expired.at(-1)
    if (!last) return 0
    await deleteSealedRows(em, last.seal_seq, last.seal_hash)
    const detail = {
      entries: String(expired.length),
      through: String(last.seal_seq),
      hash: last.seal_hash,
    }
    await recordActivity(em, { actorId: undefined }, { action: 'activity.pruned', detail })
    return expired.length
  })
}
