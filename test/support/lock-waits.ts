import type { Pool } from 'pg'
import { waitUntil } from './wait-until.ts'

/** Counts the statements in the database of the pool that wait for a lock. */
export async function countLockWaits(pool: Pool): Promise<number> {
  const { rows } = await pool.query(
    `select from pg_stat_activity
     where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

/**
 * Waits until a statement in the database of the pool waits for a lock.
 *
 * @throws Error after two minutes
 */
export async function waitUntilBlocked(pool: Pool): Promise<void> {
  await waitUntil(async () => (await countLockWaits(pool)) > 0)
}

/**
 * Waits until each call waits for a lock or has ended: on a busy machine, one may have waited for as
 * long as the server lets it before the next one arrives.
 *
 * @throws Error after two minutes
 */
export async function waitUntilAllBlocked(pool: Pool, calls: Promise<unknown>[]): Promise<void> {
  let ended = 0
  for (const call of calls)
    call
      .catch(() => {})
      .finally(() => {
        ended += 1
      })
  await waitUntil(async () => {
    // A call that ends meanwhile must not count twice.
    const endedBefore = ended
    return endedBefore + (await countLockWaits(pool)) >= calls.length
  })
}
