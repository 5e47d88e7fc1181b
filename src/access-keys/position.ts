import { createHash } from 'node:crypto'

/**
 * A place in the history of a database. What precedes it are all transactions with IDs below `number`, which
 * can be compared within a history only.
 */
export type Position = { history: string; number: number }

/**
 * Returns the name of a history. It changes with every crash, restart and promotion of PostgreSQL and with
 * another database in its place (migration 073).
 *
 * @param identity the result of `facts_identity()`
 */
export function historyOf(identity: string): string {
  return createHash('sha256').update(identity).digest('hex').slice(0, 12)
}

/** @example '3f2a9c01b7de-48213' */
export function formatPosition({ history, number }: Position): string {
  return `${history}-${number}`
}
