import type { Key } from './accepted-keys.ts'
import type { DatabaseClient } from './database.ts'
import { internKeys } from './sql/follower.ts'

/** Finds the IDs of keys, and creates those that are new. */
export type KeyIds = {
  /** Sets the IDs of keys. */
  load(client: DatabaseClient, keys: Iterable<Key>): Promise<void>
  /** Forgets all keys, because they may not be in the database. */
  clear(): void
}

/** The number of keys in memory, each of about 150 bytes. */
const maxKeys = 200_000

export function createKeyIds(limit: number = maxKeys): KeyIds {
  // By level and holder. A holder has few levels, and a text of both would be made for each look-up.
  const levels = new Map<string, Map<string, string>>()
  let size = 0

  function clear(): void {
    levels.clear()
    size = 0
  }

  function holdersOf(level: string): Map<string, string> {
    const known = levels.get(level)
    if (known) return known
    const holders = new Map<string, string>()
    levels.set(level, holders)
    return holders
  }

  return {
    async load(client, keys) {
      if (size > limit) clear()
      const missing: Key[] = []
      for (const key of keys) {
        const id = holdersOf(key.level).get(key.holder)
        if (id === undefined) missing.push(key)
        else key.id = id
      }
      if (missing.length === 0) return
      const { rows } = await client.query(internKeys, [
        missing.map(({ holder }) => holder),
        missing.map(({ level }) => level),
      ])
      for (const { id, holder, level } of rows) holdersOf(level).set(holder, id)
      size += rows.length
      for (const key of missing) key.id = holdersOf(key.level).get(key.holder) as string
    },
    clear,
  }
}
