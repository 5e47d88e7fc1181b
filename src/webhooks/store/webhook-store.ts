import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** The settings of a webhook. */
export type WebhookSettings = {
  url: string
  /** Names and prefixes of actions; empty for all. */
  events: string[]
  workspaceId: string | null
  description: string
  isActive: boolean
}

/** A webhook without its secrets. */
export type StoredWebhook = WebhookSettings & {
  id: string
  deactivatedReason: string | null
  failingSince: Timestamp | null
  previousSecretExpiresAt: Timestamp | null
  createdBy: string | null
  createdAt: Timestamp
}

/** The encrypted secrets of a webhook. The previous one signs until it expires. */
export type EncryptedSecrets = { secret: string; previousSecret: string | null }

/** What an attempt needs to know of a webhook. */
export type Target = EncryptedSecrets & {
  id: string
  url: string
  failingSince: Timestamp | null
  /** Whether the last requests took long. */
  isSlow: boolean
}

/** The URLs that receive events. */
export class WebhookStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Inserts a webhook, which receives the events from now on. */
  async insert(
    id: string,
    { url, events, workspaceId, description, isActive }: WebhookSettings,
    secret: string,
    createdBy: string | undefined,
  ): Promise<void> {
    const values = [id, url, events, workspaceId, description, isActive, secret, createdBy]
    await query(this.#em, insertSql, values)
  }

  /** Returns all webhooks, oldest first. */
  list(): Promise<StoredWebhook[]> {
    return query(this.#em, `${selectSql} order by id`)
  }

  async count(): Promise<number> {
    const sql = 'select count(*)::int as count from webhooks'
    const [row] = await query<{ count: number }>(this.#em, sql)
    return row?.count ?? 0
  }

  async find(id: string): Promise<StoredWebhook | undefined> {
    const [webhook] = await query<StoredWebhook>(this.#em, `${selectSql} where id = $1`, [id])
    return webhook
  }

  /** Locks a webhook until the end of the transaction and returns it. */
  async lock(id: string): Promise<StoredWebhook | undefined> {
    const sql = `${selectSql} where id = $1 for no key update`
    const [webhook] = await query<StoredWebhook>(this.#em, sql, [id])
    return webhook
  }

  /**
   * Replaces the settings except for the workspace. A webhook that is activated has not failed, and one
   * with a new URL is not slow.
   */
  async update(id: string, settings: Omit<WebhookSettings, 'workspaceId'>): Promise<void> {
    const { url, events, description, isActive } = settings
    await query(this.#em, updateSql, [id, url, events, description, isActive])
  }

  /** Deactivates a webhook for a reason. Returns false if it is inactive. */
  async deactivate(id: string, reason: string): Promise<boolean> {
    const sql = `update webhooks set is_active = false, deactivated_reason = $2
      where id = $1 and is_active returning id`
    return (await query(this.#em, sql, [id, reason])).length > 0
  }

  async delete(id: string): Promise<void> {
    await query(this.#em, 'delete from webhooks where id = $1', [id])
  }

  /** Replaces the secret. The one before remains valid for `seconds`. */
  async rotate(id: string, secret: string, seconds: number): Promise<void> {
    await query(this.#em, rotateSql, [id, secret, seconds])
  }

  /** Returns the targets of requests with the secrets that sign them. */
  findTargets(ids: string[]): Promise<Target[]> {
    return query(this.#em, targetSql, [ids])
  }

  /** Locks and returns the secrets of all webhooks. */
  lockAllSecrets(): Promise<(EncryptedSecrets & { id: string })[]> {
    const sql = `select id, secret, previous_secret as "previousSecret" from webhooks
      order by id for no key update`
    return query(this.#em, sql)
  }

  async setSecrets(id: string, { secret, previousSecret }: EncryptedSecrets): Promise<void> {
    const sql = 'update webhooks set secret = $2, previous_secret = $3 where id = $1'
    await query(this.#em, sql, [id, secret, previousSecret])
  }

  /** Records whether the last requests took long. */
  async setSlow(id: string, isSlow: boolean): Promise<void> {
    await query(this.#em, 'update webhooks set is_slow = $2 where id = $1', [id, isSlow])
  }

  /** Records the result of attempts. Returns since when all have failed, if they have. */
  async noteAttempts(id: string, isDelivered: boolean, now: Date): Promise<Date | undefined> {
    const sql = `update webhooks
      set failing_since = case when $2 then null else coalesce(failing_since, $3::timestamptz) end
      where id = $1 returning failing_since as "failingSince"`
    const [row] = await query<{ failingSince: Timestamp | null }>(this.#em, sql, [
      id,
      isDelivered,
      now,
    ])
    return row?.failingSince ? new Date(row.failingSince) : undefined
  }
}

const selectSql = `
  select id, url, events, workspace_id as "workspaceId", description, is_active as "isActive",
    deactivated_reason as "deactivatedReason", failing_since as "failingSince",
    case when previous_secret_expires_at > now() then previous_secret_expires_at
      end as "previousSecretExpiresAt", created_by as "createdBy", created_at as "createdAt"
  from webhooks`

/** $1 ID, $2 URL, $3 events, $4 workspace, $5 description, $6 active, $7 secret, $8 creator. */
const insertSql = `
  insert into webhooks
    (id, url, events, workspace_id, description, is_active, secret, created_by)
  values ($1, $2, $3, $4, $5, $6, $7, $8)`

/** $1 ID, $2 URL, $3 events, $4 description, $5 active. */
const updateSql = `
  update webhooks set url = $2, events = $3, description = $4, is_active = $5,
    deactivated_reason = case when $5 then null else deactivated_reason end,
    failing_since = case when $5 and not is_active then null else failing_since end,
    is_slow = is_slow and url = $2
  where id = $1`

/** $1 ID, $2 secret, $3 seconds. */
const rotateSql = `
  update webhooks set secret = $2, previous_secret = secret,
    previous_secret_expires_at = now() + make_interval(secs => $3)
  where id = $1`

/** $1 IDs. */
const targetSql = `
  select id, url, failing_since as "failingSince", is_slow as "isSlow", secret,
    case when previous_secret_expires_at > now() then previous_secret
    end as "previousSecret"
  from webhooks where id = any($1::uuid[])`
