import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** The memberships that the directory of a workspace ends within an hour. */
export type ScimGuard = {
  hourBeganAt: Timestamp
  /** The number of members when the hour began. */
  members: number
  /** The number of memberships that the directory has ended since. */
  ended: number
  /** Until when an owner lets the directory end any number; null if no owner has. */
  confirmedUntil: Timestamp | null
}

/** Counts the memberships that directories end. Callers must have locked the workspace. */
export class ScimGuardStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async find(workspaceId: string): Promise<ScimGuard | undefined> {
    const [guard] = await query<ScimGuard>(this.#em, findSql, [workspaceId])
    return guard
  }

  /** Begins an hour with one ended membership. */
  async begin(workspaceId: string, members: number, now: Date): Promise<void> {
    await query(this.#em, beginSql, [workspaceId, now, members])
  }

  /** Counts one more ended membership. */
  async increase(workspaceId: string): Promise<void> {
    const sql = 'update scim_guards set ended = ended + 1 where workspace_id = $1'
    await query(this.#em, sql, [workspaceId])
  }

  /** Lets the directory end any number of memberships until a time. */
  async confirm(workspaceId: string, until: Date, now: Date): Promise<void> {
    await query(this.#em, confirmSql, [workspaceId, until, now])
  }
}

/** $1 workspace. */
const findSql = `
  select hour_began_at as "hourBeganAt", members, ended, confirmed_until as "confirmedUntil"
  from scim_guards where workspace_id = $1`

/** $1 workspace, $2 time, $3 number of members. */
const beginSql = `
  insert into scim_guards (workspace_id, hour_began_at, members, ended)
  values ($1, $2, $3, 1)
  on conflict (workspace_id) do update set hour_began_at = excluded.hour_began_at,
    members = excluded.members, ended = 1`

/** $1 workspace, $2 end, $3 time. Without an hour, as if one had ended. */
const confirmSql = `
  insert into scim_guards (workspace_id, hour_began_at, members, ended, confirmed_until)
  values ($1, $3::timestamptz - interval '1 hour', 0, 0, $2)
  on conflict (workspace_id) do update set confirmed_until = excluded.confirmed_until`
