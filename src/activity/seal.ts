import type { EntityManager } from '@mikro-orm/postgresql'
import { inTransaction } from '../database/transaction.ts'
import { digestPersonalValues, hashEntry } from './chain.ts'
import { findUnsealedRows, lockChain, updateChainEnd, updateSeals } from './chain-queries.ts'

/** The maximum number of entries that one transaction seals. */
export const maxSealedEntries = 500

/**
 * Seals entries by appending them to the hash chain, ordered by id. An entry that is committed
 * after a run is sealed by a later run, even if its id is lower than ids that are already sealed.
 * Returns the number of sealed entries, or 0 if another node is sealing. Recording an entry never
 * waits for this.
 */
export function sealActivity(em: EntityManager): Promise<number> {
  return inTransaction(em, async (em) => {
    const chain = await lockChain(em)
    if (!chain) return 0
    const rows = await findUnsealedRows(em, maxSealedEntries)
    if (rows.length === 0) return 0
    let { last_seq: seq, last_hash: hash } = chain
    const seals = rows.map((entry) => {
      const { digests, salts } = digestPersonalValues(entry)
      seq += 1
      hash = hashEntry(hash, seq, entry, digests)
      return { id: entry.id, seq, hash, digests, salts }
    })
    await updateSeals(em, seals)
    await updateChainEnd(em, seq, hash)
    return rows.length
  })
}
