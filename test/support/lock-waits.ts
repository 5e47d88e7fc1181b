import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

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
 * @throws Error after ten seconds
 */
export async function waitUntilBlocked(pool: Pool, count = 1): Promise<void> {
  const deadline = performance.now() + 10_000
  while ((await countLockWaits(pool)) < count) {
    if (performance.now() > deadline) throw new Error(`Fewer than ${count} statements are blocked`)
    await sleep(2)
  }
}
