import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** An API key without the key itself. */
export type StoredApiKey = {
  id: string
  userId: string
  name: string
  prefix: string
  createdAt: Timestamp
  expiresAt: Timestamp | null
  lastUsedAt: Timestamp | null
}

/** The API keys of service accounts. */
export class ApiKeyStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Returns the keys of a service account, oldest first, including expired ones. */
  list(userId: string): Promise<StoredApiKey[]> {
    const sql = `select ${columns} from api_keys where user_id = $1 order by created_at, id`
    return query(this.#em, sql, [userId])
  }

  async insert(key: {
    id: string
    userId: string
    name: string
    hash: string
    prefix: string
    expiresAt: string | undefined
  }): Promise<void> {
    const { id, userId, name, hash, prefix, expiresAt } = key
    await query(
      this.#em,
      `insert into api_keys (id, user_id, name, key_hash, key_prefix, expires_at)
       values ($1, $2, $3, $4, $5, $6)`,
      [id, userId, name, hash, prefix, expiresAt],
    )
  }

  /**
   * Ends keys of a service account: one, or all of them. From the end of the transaction, no node
   * accepts them. Returns the ended keys.
   */
  end(userId: string, keyId?: string): Promise<{ id: string; name: string; prefix: string }[]> {
    return query(this.#em, endSql, [userId, keyId])
  }
}

const columns = `id, user_id as "userId", name, key_prefix as prefix, created_at as "createdAt",
  expires_at as "expiresAt", last_used_at as "lastUsedAt"`

/**
 * $1 ID of the account, $2 ID of the key, or null for all. The IDs stay denied for a day, which is
 * longer than nodes remember a key.
 */
const endSql = `
  with ended as (
    delete from api_keys where user_id = $1 and ($2::uuid is null or id = $2)
    returning id, name, key_prefix
  ), denied as (
    insert into denied_tokens (token_id, expires_at)
    select id, now() + interval '1 day' from ended on conflict do nothing
  )
  select id, name, key_prefix as prefix from ended order by id`

/** $1 hash of the key. Returns its ID, account, workspace, and expiry in seconds. */
export const findApiKeySql = `
  select k.id, k.user_id, u.workspace_id, extract(epoch from k.expires_at)::float8
  from api_keys k join users u on u.id = k.user_id
  where k.key_hash = $1 and u.workspace_id is not null`

/** $1 IDs of keys, $2 times. Keeps the last use to the hour. */
export const recordApiKeyUsageSql = `
  update api_keys k set last_used_at = date_trunc('hour', used.at)
  from unnest($1::uuid[], $2::timestamptz[]) used(id, at)
  where k.id = used.id
    and (k.last_used_at is null or k.last_used_at < date_trunc('hour', used.at))`
