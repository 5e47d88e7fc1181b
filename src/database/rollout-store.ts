import type { EntityManager } from '@mikro-orm/postgresql'
import { ServiceError } from '../core/errors.ts'
import { query } from './query.ts'
import { reasons } from './reasons.ts'
import { sessionPrefix } from './schema-version.ts'

/** Nodes of several versions that use the database during a rolling upgrade. */
export class RolloutStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Requires that every connected node has the migration with this number. Call it before writing
   * what an older node would misread, for example take for more than it grants.
   *
   * @param what what cannot be written yet, as in `A share with a role`
   * @throws ServiceError `already_exists` while an older node is connected
   */
  async requireAllNodesKnow(number: number, what: string): Promise<void> {
    const [older] = await query<{ name: string; address: string }>(this.#em, olderSessionSql, [
      sessionPrefix,
      number,
    ])
    if (!older) return
    const detail = `${what} is refused while an older node is connected to the database: a session from ${older.address} with application_name '${older.name}'`
    throw new ServiceError(reasons.ROLLOUT_IN_PROGRESS, detail)
  }
}

/**
 * Returns a session of a node that lacks a migration. $1 prefix of the sessions of nodes, $2 number of
 * the migration.
 *
 * Nodes that do not report their version can have any other name, so every session of this database and
 * user counts as one, except those of PostgreSQL's own programs, such as psql.
 */
const olderSessionSql = `
  select application_name as name, coalesce(host(client_addr), 'a local socket') as address
  from pg_stat_activity
  where datname = current_database() and usename = session_user and backend_type = 'client backend'
    and not (application_name = '' and coalesce(state, 'starting') = 'starting')
    and case
      when starts_with(application_name, $1)
        then substr(application_name, length($1) + 1) !~ '^[0-9]{1,9}$'
          or substr(application_name, length($1) + 1)::int < $2::int
      else application_name !~ '^(psql|pg)'
    end
  limit 1`
