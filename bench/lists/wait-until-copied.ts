import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'

/** Seconds that a fill may take. */
export const patience = 600

/** Waits until a copy is complete and its follower has counted how often each key occurs. */
export async function waitUntilCopied(pool: pg.Pool): Promise<void> {
  const deadline = performance.now() + patience * 1000
  for (;;) {
    const { rows } = await pool.query(`select to_regclass('daikon_access.state') as state`)
    if (rows[0].state) {
      const copied = 'select from daikon_access.state where complete and swept = generation'
      if ((await pool.query(copied)).rowCount === 1) return
    }
    if (performance.now() > deadline) throw new Error('The copy was not filled in time')
    await sleep(100)
  }
}
