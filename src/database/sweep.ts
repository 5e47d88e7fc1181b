import { repeat } from '../core/repeat.ts'
import type { Database } from './database.ts'
import { query } from './query.ts'

/** Tables whose rows are useless once `expires_at` has passed. */
const expiringTables = [
  'denied_tokens',
  'used_states',
  'authorization_codes',
  'refresh_families',
  'service_keys',
  'client_secrets',
  'browser_sessions',
  'logout_notifications',
  'admin_tokens',
]

/** The most rows that one statement deletes, so that no other statement waits long for its locks. */
const maxRows = 1000

/** Milliseconds between sweeps. */
const sweepInterval = 60_000

/**
 * Deletes up to 1,000 expired rows of each table and returns how many were deleted in all. Returns 0 if
 * another node is sweeping.
 */
export async function sweep(database: Database, now: Date): Promise<number> {
  const em = database.fork()
  return em.transactional(async (em) => {
    const [lock] = await query<{ acquired: boolean }>(
      em,
      "select pg_try_advisory_xact_lock(hashtext('daikon sweep')) as acquired",
    )
    if (!lock?.acquired) return 0
    let deleted = 0
    for (const table of expiringTables) {
      const [result] = await query<{ count: number }>(em, createDeleteSql(table), [now])
      deleted += result?.count ?? 0
    }
    return deleted
  })
}

function createDeleteSql(table: string): string {
  return `
    with deleted as (
      delete from ${table} where ctid in (
        select ctid from ${table} where expires_at <= $1 limit ${maxRows}
      ) returning 1
    )
    select count(*)::int as count from deleted`
}

/** Sweeps every minute until stopped, and again immediately while expired rows remain. */
export function startSweeping(
  database: Database,
  onFailure: (error: unknown) => void,
): { stop(): Promise<void> } {
  const work = async () => (await sweep(database, new Date())) >= maxRows
  return repeat(work, sweepInterval, onFailure)
}
