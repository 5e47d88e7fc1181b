import type { StatementPool } from '../database/statement-pool.ts'

/** Which service keys have been used here since the last writing. */
export type KeyUses = {
  /** Notes a use, by the key's hash; costs a call no statement. */
  note(keyHash: string, at: Date): void
  /** Writes what was noted, to the minute. */
  write(statements: StatementPool): Promise<void>
}

/** Uses of keys, gathered in this process and written together, at most a row for an app a minute. */
export function createKeyUses(): KeyUses {
  let noted = new Map<string, Date>()
  return {
    note(keyHash, at) {
      noted.set(keyHash, at)
    },
    async write(statements) {
      if (noted.size === 0) return
      const uses = noted
      noted = new Map()
      try {
        await statements.rows('key uses', writeSql, [[...uses.keys()], [...uses.values()]])
      } catch (error) {
        // They are written with the next ones.
        noted = new Map([...uses, ...noted])
        throw error
      }
    },
  }
}

const writeSql = `
  update service_apps a set last_used_at = used.at
  from (
    select k.app_id, max(date_trunc('minute', u.at)) as at
    from unnest($1::text[], $2::timestamptz[]) u(key_hash, at)
    join service_keys k on k.key_hash = u.key_hash
    group by k.app_id
  ) used
  where a.id = used.app_id and (a.last_used_at is null or a.last_used_at < used.at)`
