/** Reproducible random choices. */
export type Random = {
  /** Returns a number from 0 to `count` - 1. */
  below(count: number): number
  pick<Item>(items: readonly Item[]): Item
  /** Returns true with a probability. */
  chance(probability: number): boolean
}

/** Creates a generator from a seed (mulberry32). */
export function createRandom(seed: number): Random {
  let state = seed
  const below = (count: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count
  }
  return {
    below,
    pick: (items) => items[below(items.length)] as (typeof items)[number],
    chance: (probability) => below(1000) < probability * 1000,
  }
}
