import { type Job, moreIf } from '../core/job.ts'
import type { Database } from './database.ts'
import { query } from './query.ts'
import { inTransaction } from './transaction.ts'

/** Tables with the time for which their rows are kept after `expires_at`. */
const expiringTables = {
  denied_tokens: '0',
  used_states: '0',
  authorization_codes: '0',
  refresh_families: '0',
  // If a key is used after it has expired, the activity log contains the name of its app.
  service_keys: '90 days',
  client_secrets: '0',
  browser_sessions: '0',
  logout_notifications: '0',
  admin_tokens: '0',
  management_secrets: '0',
  client_tokens: '0',
  // The page of a used link says that the person has joined. The links of the last day are counted
  // (src/workspaces/store/invitation-store.ts).
  invitation_links: '7 days',
  invitation_mails: '0',
  webhook_deliveries: '0',
  used_assertions: '0',
  delegated_tokens: '0',
}

/**
 * The maximum number of rows that one statement deletes, so that other statements do not wait long
 * for its locks.
 */
const maxRows = 1000

/** Milliseconds between sweeps. */
const sweepInterval = 60_000

/**
 * Deletes up to 1,000 expired rows of each table and returns the total number of deleted rows.
 * Returns 0 if another node is sweeping.
 */
export async function sweep(database: Database, now: Date): Promise<number> {
  const em = database.fork()
  return inTransaction(em, async (em) => {
    const [lock] = await query<{ acquired: boolean }>(
      em,
      "select pg_try_advisory_xact_lock(hashtext('daikon sweep')) as acquired",
    )
    if (!lock?.acquired) return 0
    let deleted = 0
    for (const [table, retention] of Object.entries(expiringTables)) {
      const values = [now, retention]
      const [result] = await query<{ count: number }>(em, createDeleteSql(table), values)
      deleted += result?.count ?? 0
    }
    return deleted
  })
}

function createDeleteSql(table: string): string {
  return `
    with deleted as (
      delete from ${table} where ctid in (
        select ctid from ${table} where expires_at <= $1::timestamptz - $2::interval limit ${maxRows}
      ) returning 1
    )
    select count(*)::int as count from deleted`
}

/** Sweeps every minute, and again immediately while expired rows remain. */
export function createSweepJob(database: Database): Job {
  return {
    failure: 'Deleting expired rows failed',
    interval: sweepInterval,
    run: async () => moreIf((await sweep(database, new Date())) >= maxRows),
  }
}
