import { setTimeout as sleep } from 'node:timers/promises'
import type { Pool } from 'pg'

const interval = 20

/**
 * Watches for how long tables are locked against reads. `stop` returns the milliseconds of the longest
 * lock of each table. A lock that is shorter than 20 ms may be missed.
 */
export function watchTableLocks(pool: Pool) {
  const since = new Map<string, number>()
  const longest: Record<string, number> = {}
  let isRunning = true
  const work = async () => {
    while (isRunning) {
      const { rows } = await pool.query<{ table: string }>(lockedTables)
      const now = performance.now()
      const locked = new Set(rows.map(({ table }) => table))
      for (const table of since.keys()) if (!locked.has(table)) since.delete(table)
      for (const table of locked) {
        const started = since.get(table) ?? now
        since.set(table, started)
        longest[table] = Math.max(longest[table] ?? interval, Math.round(now - started))
      }
      await sleep(interval)
    }
  }
  const done = work()
  return {
    async stop(): Promise<Record<string, number>> {
      isRunning = false
      await done
      return longest
    },
  }
}

const lockedTables = `
  select distinct c.relname as table from pg_locks l join pg_class c on c.oid = l.relation
  where l.granted and l.mode = 'AccessExclusiveLock' and c.relkind = 'r'
    and c.relnamespace = 'public'::regnamespace
    and l.database = (select oid from pg_database where datname = current_database())`
