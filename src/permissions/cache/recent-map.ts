/** A map of limited size. */
export type RecentMap<Value> = {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  size(): number
}

/**
 * Creates a map that keeps entries with a total size of at most `maxSize`: when half of it is of entries that
 * are new or were used, it drops the others. By default, each entry has the size 1.
 */
export function createRecentMap<Value>(
  maxSize: number,
  sizeOf: (value: Value) => number = () => 1,
): RecentMap<Value> {
  let recent = new Map<string, Value>()
  let previous = new Map<string, Value>()
  /** The size of `recent`; what replaces an entry counts once more. */
  let recentSize = 0

  function set(key: string, value: Value) {
    recent.set(key, value)
    recentSize += sizeOf(value)
    if (recentSize < maxSize / 2) return
    previous = recent
    recent = new Map()
    recentSize = 0
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
    size: () => recent.size + previous.size,
  }
}
