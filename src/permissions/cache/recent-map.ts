/** A map of limited size that evicts the entries that were not used recently. */
export type RecentMap<Value> = {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

/**
 * The approximate overhead of an entry, in bytes, and the bytes per character of its key and value.
 * V8 stores strings with characters outside Latin-1 in two bytes per character.
 */
const entryBytes = 250
const characterBytes = 2

/**
 * Creates a map that takes at most about `maxBytes`. When new and recently used entries fill half
 * of that, it drops all others. `lengthOf` returns the number of characters in a value.
 */
export function createRecentMap<Value>(
  maxBytes: number,
  lengthOf: (value: Value) => number = () => 0,
): RecentMap<Value> {
  let recent = new Map<string, Value>()
  let previous = new Map<string, Value>()
  /** The estimated size of `recent`. Replacing an entry counts it again. */
  let recentBytes = 0

  function set(key: string, value: Value) {
    recent.set(key, value)
    recentBytes += entryBytes + characterBytes * (key.length + lengthOf(value))
    if (recentBytes < maxBytes / 2) return
    previous = recent
    recent = new Map()
    recentBytes = 0
  }

  return {
    set,
    get(key) {
      const value = recent.get(key)
      if (value !== undefined) return value
      const older = previous.get(key)
      if (older !== undefined) set(key, older)
      return older
    },
  }
}
