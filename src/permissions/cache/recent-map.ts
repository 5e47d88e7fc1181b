/** A map of limited size. */
export type RecentMap<Value> = {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
}

/**
 * The bytes that an entry takes beside the characters of its key and value, of which each takes two if one of
 * them is not in Latin-1.
 */
const entryBytes = 250
const characterBytes = 2

/**
 * Creates a map that takes at most about `maxBytes`: when half of them are taken by entries that are new or
 * were used, it drops the others. `lengthOf` returns the number of characters of a value.
 */
export function createRecentMap<Value>(
  maxBytes: number,
  lengthOf: (value: Value) => number = () => 0,
): RecentMap<Value> {
  let recent = new Map<string, Value>()
  let previous = new Map<string, Value>()
  /** What `recent` takes; what replaces an entry counts once more. */
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
