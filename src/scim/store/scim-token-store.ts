import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** The SCIM token of a workspace without the token itself. */
export type StoredScimToken = {
  id: string
  prefix: string
  createdAt: Timestamp
  lastUsedAt: Timestamp | null
}

/** The SCIM tokens, at most one for each workspace. */
export class ScimTokenStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async find(workspaceId: string): Promise<StoredScimToken | undefined> {
    const [token] = await query<StoredScimToken>(this.#em, findSql, [workspaceId])
    return token
  }

  /** Replaces the token of a workspace. From the end of the transaction, no node accepts the old one. */
  async replace(token: {
    id: string
    workspaceId: string
    hash: string
    prefix: string
    createdAt: Date
  }): Promise<void> {
    const { id, workspaceId, hash, prefix, createdAt } = token
    await query(this.#em, replaceSql, [id, workspaceId, hash, prefix, createdAt])
  }

  /** Ends the token of a workspace. Returns it, or undefined if there is none. */
  async end(workspaceId: string): Promise<{ id: string; prefix: string } | undefined> {
    const sql =
      'delete from scim_tokens where workspace_id = $1 returning id, token_prefix as prefix'
    const [ended] = await query<{ id: string; prefix: string }>(this.#em, sql, [workspaceId])
    return ended
  }
}

/** $1 workspace. */
const findSql = `
  select id, token_prefix as prefix, created_at as "createdAt", last_used_at as "lastUsedAt"
  from scim_tokens where workspace_id = $1`

/** $1 ID, $2 workspace, $3 hash, $4 prefix, $5 time. */
const replaceSql = `
  insert into scim_tokens (id, workspace_id, token_hash, token_prefix, created_at)
  values ($1, $2, $3, $4, $5)
  on conflict (workspace_id) do update set id = excluded.id, token_hash = excluded.token_hash,
    token_prefix = excluded.token_prefix, created_at = excluded.created_at, last_used_at = null`

/** $1 hash of the token. Returns its ID and workspace. */
export const findScimTokenSql = 'select id, workspace_id from scim_tokens where token_hash = $1'

/** $1 IDs of tokens, $2 times. Keeps the last use to the hour. */
export const recordScimTokenUsageSql = `
  update scim_tokens t set last_used_at = date_trunc('hour', used.at)
  from unnest($1::uuid[], $2::timestamptz[]) used(id, at)
  where t.id = used.id
    and (t.last_used_at is null or t.last_used_at < date_trunc('hour', used.at))`
