import { repeat } from '../core/repeat.ts'
import type { Database } from './database.ts'

/** Rows that mean nothing any more once they have expired. */
const expiring = [
  ...['denied_tokens', 'used_states', 'authorization_codes', 'refresh_families'],
  ...['service_keys', 'admin_tokens'],
]

/** Rows of one table that one statement deletes at the most, so that nobody waits long for it. */
const batch = 1000

const interval = 60_000

/** Deletes what has expired; answers how many rows. One node at a time does it, the others pass. */
export async function sweep(database: Database, now: Date): Promise<number> {
  const em = database.fork()
  return em.transactional(async (em) => {
    const [lock] = await em.execute<{ mine: boolean }[]>(
      "select pg_try_advisory_xact_lock(hashtext('daikon sweep')) as mine",
    )
    let swept = 0
    for (const table of lock?.mine ? expiring : []) {
      const { affectedRows } = await em.execute<{ affectedRows: number }>(
        `delete from ${table} where ctid in (select ctid from ${table} where expires_at <= ? limit ${batch})`,
        [now],
        'run',
      )
      swept += affectedRows
    }
    return swept
  })
}

/** Sweeps every minute until stopped, and again at once while there is more; tells of failures. */
export function startSweeping(
  database: Database,
  onFailure: (error: unknown) => void,
): { stop(): Promise<void> } {
  const work = async () => (await sweep(database, new Date())) >= batch
  return repeat(work, interval, onFailure)
}
