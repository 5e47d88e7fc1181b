import type { DatabaseClient } from './database.ts'
import { internKeys } from './sql/follower.ts'

/** Returns the IDs of keys, and creates those that are new. */
export type KeyIds = {
  /** Makes `idOf` know the keys. */
  load(client: DatabaseClient, keys: Iterable<{ holder: string; level: string }>): Promise<void>
  /** Returns the ID of a key that the last `load` named. */
  idOf(holder: string, level: string): string
  /** Forgets all keys, because they may not be in the database. */
  clear(): void
}

/** The number of keys in memory, each of about 150 bytes. */
const maxKeys = 200_000

export function createKeyIds(limit: number = maxKeys): KeyIds {
  // Of two generations, the older one is forgotten when the younger one is full.
  let young = new Map<string, string>()
  let old = new Map<string, string>()
  const nameOf = (holder: string, level: string) => `${holder} ${level}`
  return {
    async load(client, keys) {
      if (young.size > limit / 2) {
        old = young
        young = new Map()
      }
      const missing = new Map<string, { holder: string; level: string }>()
      for (const { holder, level } of keys) {
        const name = nameOf(holder, level)
        if (young.has(name)) continue
        const known = old.get(name)
        if (known !== undefined) young.set(name, known)
        else missing.set(name, { holder, level })
      }
      if (missing.size === 0) return
      const wanted = [...missing.values()]
      const { rows } = await client.query(internKeys, [
        wanted.map(({ holder }) => holder),
        wanted.map(({ level }) => level),
      ])
      for (const { id, holder, level } of rows) young.set(nameOf(holder, level), id)
    },
    idOf(holder, level) {
      return young.get(nameOf(holder, level)) as string
    },
    clear() {
      young.clear()
      old.clear()
    },
  }
}
