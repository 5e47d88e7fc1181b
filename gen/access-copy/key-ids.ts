// Copied from clients/typescript/src/access/copy/key-ids.ts. DO NOT EDIT.

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
  let young = createTable()
  let old = createTable()
  return {
    async load(client, keys) {
      if (young.size > limit / 2) {
        old = young
        young = createTable()
      }
      const missing = createTable()
      const holders: string[] = []
      const levels: string[] = []
      for (const { holder, level } of keys) {
        if (young.get(holder, level) !== undefined) continue
        const known = old.get(holder, level)
        if (known !== undefined) young.set(holder, level, known)
        else if (missing.get(holder, level) === undefined) {
          missing.set(holder, level, '')
          holders.push(holder)
          levels.push(level)
        }
      }
      if (holders.length === 0) return
      const { rows } = await client.query(internKeys, [holders, levels])
      for (const { id, holder, level } of rows) young.set(holder, level, id)
    },
    idOf(holder, level) {
      return young.get(holder, level) as string
    },
    clear() {
      young = createTable()
      old = createTable()
    },
  }
}

/** IDs by level and holder. A holder has few levels, and a text of both would be made for each look-up. */
function createTable() {
  const byLevel = new Map<string, Map<string, string>>()
  let size = 0
  return {
    get size() {
      return size
    },
    get: (holder: string, level: string) => byLevel.get(level)?.get(holder),
    set(holder: string, level: string, id: string) {
      let byHolder = byLevel.get(level)
      if (!byHolder) {
        byHolder = new Map()
        byLevel.set(level, byHolder)
      }
      byHolder.set(holder, id)
      size += 1
    },
  }
}
