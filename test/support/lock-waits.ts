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
 * Waits until `count` statements in the database of the pool wait for a lock.
 *
 * @throws Error after two minutes
 */
export async function waitUntilBlocked(pool: Pool, count = 1): Promise<void> {
  await waitUntil(async () => (await countLockWaits(pool)) >= count)
}
