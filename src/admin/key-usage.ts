import type { StatementPool } from '../database/statement-pool.ts'
import { recordKeyUsageSql } from './queries.ts'

/** Collects in memory which service keys were used, so that calls need no write. */
export type KeyUsage = {
  /** Notes the use of the key with this hash. */
  note(keyHash: string, at: Date): void
  /** Writes the notes to the database, with times truncated to minutes. */
  write(statements: StatementPool): Promise<void>
}

export function createKeyUsage(): KeyUsage {
  let lastUses = new Map<string, Date>()
  return {
    note(keyHash, at) {
      lastUses.set(keyHash, at)
    },
    async write(statements) {
      if (lastUses.size === 0) return
      const written = lastUses
      lastUses = new Map()
      try {
        const values = [[...written.keys()], [...written.values()]]
        await statements.rows('key usage', recordKeyUsageSql, values)
      } catch (error) {
        // The next write includes them.
        lastUses = new Map([...written, ...lastUses])
        throw error
      }
    },
  }
}
