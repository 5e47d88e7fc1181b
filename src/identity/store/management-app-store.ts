import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** A management app with the prefix of its newest secret. */
export type StoredManagementApp = {
  id: string
  name: string
  /** Sorted. */
  scopes: string[]
  isActive: boolean
  secretPrefix: string
  lastUsedAt: Timestamp | null
  createdBy: string | null
  createdAt: Timestamp
}

/** The fields that an update can change. Undefined ones remain unchanged. */
export type ManagementAppChanges = {
  name?: string | undefined
  scopes?: string[] | undefined
  isActive?: boolean | undefined
}

/** Programs that call admin methods, with their secrets. */
export class ManagementAppStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Inserts an active app without secrets. */
  async insert(app: {
    id: string
    name: string
    scopes: string[]
    createdBy: string | undefined
  }): Promise<void> {
    const { id, name, scopes, createdBy } = app
    await query(this.#em, insertSql, [id, name, scopes, createdBy])
  }

  /** Returns all apps, oldest first. */
  list(): Promise<StoredManagementApp[]> {
    return query(this.#em, `${selectSql} order by a.id`)
  }

  /** Locks an app until the end of the transaction and returns it. */
  async lock(id: string): Promise<StoredManagementApp | undefined> {
    const [app] = await query<StoredManagementApp>(this.#em, lockSql, [id])
    return app
  }

  async update(id: string, { name, scopes, isActive }: ManagementAppChanges): Promise<void> {
    await query(this.#em, updateSql, [id, name, scopes, isActive])
  }

  /** Deletes an app with its secrets. */
  async delete(id: string): Promise<void> {
    await query(this.#em, 'delete from management_apps where id = $1', [id])
  }

  async insertSecret(appId: string, secret: { hash: string; prefix: string }): Promise<void> {
    await query(this.#em, insertSecretSql, [secret.hash, secret.prefix, appId])
  }

  /** Expires the secrets of an app after `seconds`, unless they expire earlier. */
  async expireSecrets(appId: string, seconds: number): Promise<void> {
    await query(this.#em, expireSecretsSql, [seconds, appId])
  }

  /**
   * Returns the scopes of the active app with this secret, and keeps the time. Locks the app, so that
   * it cannot be deactivated before the token of the caller is recorded.
   */
  async useSecret(id: string, secretHash: string, now: Date): Promise<string[] | undefined> {
    const [app] = await query<{ scopes: string[] }>(this.#em, useSecretSql, [id, secretHash, now])
    return app?.scopes
  }
}

/** $1 ID, $2 name, $3 scopes, $4 ID of the administrator. */
const insertSql =
  'insert into management_apps (id, name, scopes, created_by) values ($1, $2, $3::text[], $4)'

/** The prefix is from the newest secret, which expires last. */
const selectSql = `
  select a.id, a.name, a.scopes, a.is_active as "isActive", a.last_used_at as "lastUsedAt",
    a.created_by as "createdBy", a.created_at as "createdAt",
    coalesce((select s.secret_prefix from management_secrets s where s.app_id = a.id
      order by s.expires_at desc nulls first limit 1), '') as "secretPrefix"
  from management_apps a`

/** $1 ID. */
const lockSql = `${selectSql} where a.id = $1 for no key update of a`

/** $1 ID, $2 name, $3 scopes, $4 whether it is active. Null leaves a field unchanged. */
const updateSql = `
  update management_apps set name = coalesce($2, name), scopes = coalesce($3::text[], scopes),
    is_active = coalesce($4, is_active)
  where id = $1`

/** $1 hash, $2 prefix, $3 ID of the app. */
const insertSecretSql =
  'insert into management_secrets (secret_hash, secret_prefix, app_id) values ($1, $2, $3)'

/** $1 seconds, $2 ID of the app. */
const expireSecretsSql = `
  update management_secrets
  set expires_at = least(expires_at, now() + make_interval(secs => $1)) where app_id = $2`

/** $1 ID, $2 hash of the secret, $3 current time. */
const useSecretSql = `
  update management_apps a set last_used_at = date_trunc('minute', $3::timestamptz)
  where a.id = $1 and a.is_active and exists (
    select from management_secrets s where s.app_id = a.id and s.secret_hash = $2
      and (s.expires_at is null or s.expires_at > $3))
  returning a.scopes`

/** $1 ID. Returns the scopes of an active app. */
export const findManagementScopesSql =
  'select scopes from management_apps where id = $1 and is_active'
