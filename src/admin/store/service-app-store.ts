import type { EntityManager } from '@mikro-orm/postgresql'
import { changedFields } from '../../core/changed-fields.ts'
import { activeAppsSql } from '../../database/control-connection.ts'
import { ServiceApp, ServiceKey } from '../../database/entities/service-apps.ts'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** A service app with the prefix of its newest key. */
export type StoredServiceApp = {
  id: string
  name: string
  serviceName: string
  keyPrefix: string
  isActive: boolean
  lastUsedAt: Timestamp | null
  createdBy: string | null
  createdAt: Timestamp
}

/** A service key that expired or whose app is inactive. */
export type EndedKey = {
  hash: string
  prefix: string
  appId: string
  name: string
  serviceName: string
  isActive: boolean
}

/** Backend services and their keys. */
export class ServiceAppStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Inserts an active app without keys. */
  async insert(app: {
    id: string
    name: string
    serviceName: string
    createdBy: string | undefined
  }): Promise<void> {
    const { id, name, serviceName, createdBy } = app
    await this.#em.insert(ServiceApp, {
      id,
      name,
      service_name: serviceName,
      created_by: createdBy ?? null,
    })
  }

  async insertKey(appId: string, key: { hash: string; prefix: string }): Promise<void> {
    const { hash, prefix } = key
    await this.#em.insert(ServiceKey, { key_hash: hash, key_prefix: prefix, app_id: appId })
  }

  /** Returns all apps, oldest first. */
  list(): Promise<StoredServiceApp[]> {
    return query(this.#em, `${selectSql} order by a.id`)
  }

  async find(id: string): Promise<StoredServiceApp | undefined> {
    const [app] = await query<StoredServiceApp>(this.#em, findSql, [id])
    return app
  }

  /** Locks an app until the end of the transaction and returns it. */
  async lock(id: string): Promise<StoredServiceApp | undefined> {
    const [app] = await query<StoredServiceApp>(this.#em, lockSql, [id])
    return app
  }

  /** Locks the active apps until the end of the transaction and returns their IDs. */
  async lockActive(): Promise<string[]> {
    const apps = await query<{ id: string }>(this.#em, lockActiveSql)
    return apps.map(({ id }) => id)
  }

  /** Returns whether any app is active. If none is, development mode may be on. */
  async hasActive(): Promise<boolean> {
    const [row] = await query<{ active: boolean }>(this.#em, activeAppsSql)
    return row?.active === true
  }

  async update(id: string, changes: { name?: string; isActive?: boolean }): Promise<void> {
    const fields = changedFields({ name: changes.name, is_active: changes.isActive })
    if (fields) await this.#em.nativeUpdate(ServiceApp, { id }, fields)
  }

  /** Deletes an app with its keys. */
  async delete(id: string): Promise<void> {
    await this.#em.nativeDelete(ServiceApp, { id })
  }

  /** Expires the keys of an app after `seconds`, unless they expire earlier. */
  async expireKeys(appId: string, seconds: number): Promise<void> {
    await query(this.#em, expireKeysSql, [seconds, appId])
  }

  /** Locks and returns the keys that are no longer valid: expired keys and keys of inactive apps. */
  lockEndedKeys(hashes: string[]): Promise<EndedKey[]> {
    return query(this.#em, lockEndedKeysSql, [hashes])
  }
}

/** The prefix is from the newest key, which expires last. */
const selectSql = `
  select a.id, a.name, a.service_name as "serviceName", k.key_prefix as "keyPrefix",
    a.is_active as "isActive", a.last_used_at as "lastUsedAt", a.created_by as "createdBy",
    a.created_at as "createdAt"
  from service_apps a
  left join lateral (
    select key_prefix from service_keys where app_id = a.id
    order by expires_at desc nulls first limit 1
  ) k on true`

/** $1 ID. */
const findSql = `${selectSql} where a.id = $1`

/** $1 ID. */
const lockSql = `${findSql} for no key update of a`

const lockActiveSql = 'select id from service_apps where is_active order by id for no key update'

/** $1 seconds, $2 ID of the app. */
const expireKeysSql = `
  update service_keys
  set expires_at = least(expires_at, now() + make_interval(secs => $1)) where app_id = $2`

/** $1 hashes of keys. */
const lockEndedKeysSql = `
  select k.key_hash as hash, k.key_prefix as prefix, k.app_id as "appId", a.name,
    a.service_name as "serviceName", a.is_active as "isActive"
  from service_keys k join service_apps a on a.id = k.app_id
  where k.key_hash = any($1::text[]) and (k.expires_at <= now() or not a.is_active)
  order by k.key_hash for no key update of k`

/**
 * $1 hashes of keys, $2 times of their last use. Records the last use of their apps. An app is
 * updated at most once a minute.
 */
export const recordKeyUsageSql = `
  update service_apps a set last_used_at = used.at
  from (
    select k.app_id, max(date_trunc('minute', u.at)) as at
    from unnest($1::text[], $2::timestamptz[]) u(key_hash, at)
    join service_keys k on k.key_hash = u.key_hash
    group by k.app_id
  ) used
  where a.id = used.app_id and (a.last_used_at is null or a.last_used_at < used.at)`
