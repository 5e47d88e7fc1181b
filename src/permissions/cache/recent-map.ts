/** A map of limited size. */
export type RecentMap<Value> = {
  get(key: string): Value | undefined
  set(key: string, value: Value): void
  size(): number
}

/**
 * Creates a map that keeps at least the `maxEntries / 2` entries used last, and at most `maxEntries`: when
 * half of them are new or were used, it drops the others.
 */
export function createRecentMap<Value>(maxEntries: number): RecentMap<Value> {
  let recent = new Map<string, Value>()
  let previous = new Map<string, Value>()

  function set(key: string, value: Value) {
    recent.set(key, value)
    if (recent.size < maxEntries / 2) return
    previous = recent
    recent = new Map()
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
