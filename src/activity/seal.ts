import type { Transactional } from '../core/request-context.ts'
import { type ChainEntry, digestPersonalValues, hashEntry } from './chain.ts'
import type { ChainStore, NewSeal, Seal } from './store/chain-store.ts'

/** The maximum number of entries that one transaction seals. */
export const maxSealedEntries = 500

/**
 * Seals committed entries by appending them to the hash chain, ordered by transaction, then by ID.
 * Returns the number of sealed entries, or 0 if another node is sealing. Recording an entry never waits
 * for this.
 *
 * The sequence number of the seal is the position of the entry. An entry that is committed after a run
 * gets a later position, even if its transaction began earlier, so a reader who has read up to a position
 * has read every entry before it.
 * See docs/decisions/activity.md#position-of-an-event.
 */
export async function sealActivity(stores: Transactional<{ chain: ChainStore }>): Promise<number> {
  if (!(await stores.chain.hasUnsealed())) return 0
  return stores.transaction(async (tx) => {
    const ends = await tx.chain.lock()
    if (!ends) return 0
    const entries = await tx.chain.lockUnsealed(maxSealedEntries)
    const [first, ...others] = entries
    if (!first) return 0
    let last = sealAfter({ sequence: ends.lastSequence, hash: ends.lastHash }, first)
    const seals: [NewSeal, ...NewSeal[]] = [last]
    for (const entry of others) {
      last = sealAfter(last, entry)
      seals.push(last)
    }
    await tx.chain.append(seals)
    return entries.length
  })
}

function sealAfter(previous: Seal, entry: ChainEntry): NewSeal {
  const { digests, salts } = digestPersonalValues(entry)
  const sequence = previous.sequence + 1
  const hash = hashEntry(previous.hash, sequence, entry, digests)
  return { id: entry.id, sequence, hash, digests, salts }
}
