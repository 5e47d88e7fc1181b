import type { AccessResource } from './messages.ts'

/** A key as daikon names it, and its ID in the copy, which is empty until `KeyIds` sets it. */
export type Key = { holder: string; level: string; id: string }

/** A key that a resource accepts, with its latest end. */
export type Accepted = Key & { maybe: boolean; until: Date | null }

/**
 * Returns the keys that a resource accepts, each at most once as certain and once as maybe. A key that occurs
 * several times ends when the last of them does. Keys that have ended are left out.
 */
export function readOwnKeys({ own }: Pick<AccessResource, 'own'>, now: Date): Accepted[] {
  const found = new Map<string, Accepted>()
  for (const { holder, level, maybe = false, until: text } of own) {
    const until = text === undefined ? null : new Date(text)
    if (until && until <= now) continue
    const name = `${holder} ${level} ${maybe}`
    const known = found.get(name)
    if (!known) found.set(name, { holder, level, id: '', maybe, until })
    else if (known.until && (!until || until > known.until)) known.until = until
  }
  return [...found.values()]
}

/** Returns the key of what inherits from a resource. */
export function inheritKeyOf(holder: string): Key {
  return { holder, level: '', id: '' }
}

/** Returns the earliest end of certain keys. */
export function findUntil(keys: readonly Accepted[]): Date | null {
  let earliest: Date | null = null
  for (const { maybe, until } of keys)
    if (!maybe && until && (!earliest || until < earliest)) earliest = until
  return earliest
}
