/**
 * A position in the activity log and the beginning of the hash at that position. The hash names the
 * history of the database: after a restore or a failover that lost entries, another entry is at the
 * position, or none.
 */
export type Cursor = { position: number; hash: string }

/** The number of characters of a hash in a cursor. */
const hashLength = 16

/** Creates the cursor of an entry from its seal. The hash before the first entry ever is empty. */
export function createCursor(position: number, hash: string): Cursor {
  return { position, hash: hash.slice(0, hashLength).padEnd(hashLength, '0') }
}

export function formatCursor({ position, hash }: Cursor): string {
  return `${position}-${hash}`
}

/** Parses the text of a cursor, whose form the field rules have checked. */
export function parseCursor(text: string): Cursor {
  const [position = '', hash = ''] = text.split('-')
  return { position: Number(position), hash }
}

export function isSameCursor(a: Cursor, b: Cursor): boolean {
  return a.position === b.position && a.hash === b.hash
}
