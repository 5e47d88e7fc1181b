import type { EntityManager } from '@mikro-orm/postgresql'
import { inTransaction } from '../database/transaction.ts'
import { digestPersonalValues, hashEntry } from './chain.ts'
import { findUnsealedRows, lockChain, updateChainEnd, updateSeals } from './chain-queries.ts'

/** The most entries that one transaction seals. */
export const maxSealedEntries = 500

/**
 * Seals entries that are not part of the hash chain yet, in the order in which they were committed as
 * far as earlier runs have seen them, and by id within a run. Returns their number; 0 if another node is
 * sealing. Recording an entry never waits for this.
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
