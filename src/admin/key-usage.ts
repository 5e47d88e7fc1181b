import type { StatementPool } from '../database/statement-pool.ts'
import { recordKeyUsageSql } from './queries.ts'

/** Collects the use of service keys in memory, so that calls do not write to the database. */
export type KeyUsage = {
  /** Records a use of the key with this hash. */
  note(keyHash: string, at: Date): void
  /** Writes the collected uses to the database, with times truncated to minutes. */
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
