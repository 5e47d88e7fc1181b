import type { StatementPool } from '../database/statement-pool.ts'

/** Collects the use of service keys or API keys in memory, so that calls do not write to the database. */
export type KeyUsage = {
  /** Records a use of the key with this hash or ID. */
  record(key: string, at: Date): void
  /** Writes the collected uses to the database. */
  write(statements: StatementPool): Promise<void>
}

/** `sql` writes uses: $1 keys, $2 times. `name` is the name of the statement. */
export function createKeyUsage(name: string, sql: string): KeyUsage {
  let lastUses = new Map<string, Date>()
  return {
    record(key, at) {
      lastUses.set(key, at)
    },
    async write(statements) {
      if (lastUses.size === 0) return
      const written = lastUses
      lastUses = new Map()
      try {
        const values = [[...written.keys()], [...written.values()]]
        await statements.rows(name, sql, values)
      } catch (error) {
        // The next write includes them.
        lastUses = new Map([...written, ...lastUses])
        throw error
      }
    },
  }
}
