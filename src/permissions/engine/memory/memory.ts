import { LRUCache } from 'lru-cache'

/**
 * The approximate overhead of an entry, in bytes, and the bytes per character of its key and value.
 * V8 stores strings with characters outside Latin-1 in two bytes per character.
 */
const entryBytes = 250
const characterBytes = 2

/** A map that evicts entries. */
export type Memory<Value> = {
  get(key: string): Value | undefined
  set(key: string, value: Value): unknown
}

/**
 * Creates a map that takes at most about `maxBytes` and evicts the entries that were used least
 * recently. `lengthOf` returns the number of characters in a value.
 */
export function createMemory<Value extends object>(
  maxBytes: number,
  lengthOf: (value: Value) => number = () => 0,
): Memory<Value> {
  return new LRUCache({
    maxSize: Math.floor(maxBytes),
    sizeCalculation: (value, key) => entryBytes + characterBytes * (key.length + lengthOf(value)),
  })
}
