import { setTimeout as sleep } from 'node:timers/promises'
import type { Client } from 'pg'

/** A session that holds a lock for which a migration waits. */
export type Blocker = { pid: number; query: string | null; state: string | null }

/** Milliseconds between looks, several of which fit into the timeout for locks. */
const interval = 200

/** $1 process IDs. A prepared transaction blocks with process ID 0. */
const blockersSql = `
  select distinct blocking.pid, query, state
  from unnest($1::int[]) waiting (pid) cross join unnest(pg_blocking_pids(waiting.pid)) blocking (pid)
  left join pg_stat_activity on pg_stat_activity.pid = blocking.pid
  order by blocking.pid`

/**
 * Looks for sessions that block those with the given process IDs. `stop` returns the last ones that
 * were found: a statement that fails no longer waits.
 */
export function watchBlockers(
  client: Client,
  processes: ReadonlySet<number>,
): { stop(): Promise<Blocker[]> } {
  const stopping = new AbortController()
  let found: Blocker[] = []
  const watching = watch()

  async function watch() {
    while (!stopping.signal.aborted) {
      const { rows } = await client.query<Blocker>(blockersSql, [[...processes]])
      if (rows.length > 0) found = rows
      await sleep(interval, undefined, { signal: stopping.signal })
    }
  }

  return {
    async stop() {
      stopping.abort()
      // Aborted, or the connection is lost, which the next statement of the migration reports.
      await watching.catch(() => {})
      return found
    },
  }
}

/** Names the first sessions by process ID and query. */
export function describeBlockers(blockers: Blocker[]): string {
  if (blockers.length === 0) return 'locks of other transactions'
  const names = blockers.slice(0, 3).map(({ pid, query, state }) => {
    if (pid === 0) return 'a prepared transaction (see pg_prepared_xacts)'
    return `process ${pid} of PostgreSQL (${state ?? 'state unknown'}: ${redact(query ?? 'query unknown')})`
  })
  return names.join(' and ')
}

/** Removes numbers, and the rest from the first text on, because where a text ends is ambiguous. */
function redact(query: string): string {
  return query
    .replace(/('|\$\w*\$|--|\/\*).*/s, '…')
    .replace(/(?<![$\w])\d[\d.]*/g, '?')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 200)
}
