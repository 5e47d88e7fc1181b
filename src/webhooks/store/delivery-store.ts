import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'

/** A delivery to create. */
export type NewDelivery = { id: string; webhookId: string; type: string; requestBody: string }

/** A delivery, with the result of its last attempt. */
export type Delivery = {
  id: string
  type: string
  state: 'pending' | 'delivered' | 'failed'
  attempts: number
  createdAt: Timestamp
  nextAttemptAt: Timestamp | null
  attemptedAt: Timestamp | null
  durationMs: number | null
  requestBody: string
  responseStatus: number | null
  responseBody: string | null
  error: string | null
}

/** A delivery to attempt. `attempts` counts this one. */
export type ClaimedDelivery = {
  id: string
  requestBody: string
  attempts: number
  firstFailedAt: Timestamp | null
}

/** The result of an attempt. */
export type Attempt = {
  id: string
  state: Delivery['state']
  /** When the next attempt is due; null if there will be none. */
  nextAttemptAt: Date | null
  durationMs: number
  responseStatus: number | null
  responseBody: string | null
  error: string | null
}

/** Seconds after which a delivery is attempted again if its node was killed during an attempt. */
const leaseSeconds = 60

/** The events that are sent to webhooks. */
export class DeliveryStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /** Inserts deliveries that are due now. */
  async insert(deliveries: NewDelivery[], now: Date): Promise<void> {
    if (deliveries.length === 0) return
    await query(this.#em, insertSql, [
      deliveries.map(({ id }) => id),
      deliveries.map(({ webhookId }) => webhookId),
      deliveries.map(({ type }) => type),
      deliveries.map(({ requestBody }) => requestBody),
      now,
    ])
  }

  /** Returns the deliveries of a webhook before `before`, newest first. */
  list(webhookId: string, before: string | undefined, limit: number): Promise<Delivery[]> {
    const sql = `${selectSql} where webhook_id = $1 and ($2::uuid is null or id < $2)
      order by id desc limit $3`
    return query(this.#em, sql, [webhookId, before, limit])
  }

  async find(webhookId: string, id: string): Promise<Delivery | undefined> {
    const sql = `${selectSql} where webhook_id = $1 and id = $2`
    const [delivery] = await query<Delivery>(this.#em, sql, [webhookId, id])
    return delivery
  }

  /** Makes a delivery due now, with a new schedule. Returns false if it does not exist. */
  async restart(webhookId: string, id: string, now: Date): Promise<boolean> {
    const sql = `update webhook_deliveries
      set state = 'pending', attempts = 0, next_attempt_at = $3, first_failed_at = null
      where webhook_id = $1 and id = $2 returning id`
    return (await query(this.#em, sql, [webhookId, id, now])).length > 0
  }

  /** Claims deliveries that are due. No other node gets them before the lease ends. */
  claim(webhookId: string, limit: number, now: Date): Promise<ClaimedDelivery[]> {
    return query(this.#em, claimSql, [webhookId, limit, now])
  }

  async finish(attempt: Attempt, now: Date): Promise<void> {
    const { id, state, nextAttemptAt, durationMs, responseStatus, responseBody, error } = attempt
    const result = [durationMs, responseStatus, responseBody, error]
    await query(this.#em, finishSql, [id, state, nextAttemptAt, ...result, now])
  }

  /** Gives up the pending deliveries of a webhook. */
  async giveUp(webhookId: string): Promise<void> {
    const sql = `update webhook_deliveries set state = 'failed', next_attempt_at = null
      where webhook_id = $1 and state = 'pending'`
    await query(this.#em, sql, [webhookId])
  }

  /** Returns when the next delivery of a webhook is due, if any is pending. */
  async findNextDue(webhookId: string): Promise<Date | undefined> {
    const sql = `select min(next_attempt_at) as due from webhook_deliveries
      where webhook_id = $1 and state = 'pending'`
    const [row] = await query<{ due: Timestamp | null }>(this.#em, sql, [webhookId])
    return row?.due ? new Date(row.due) : undefined
  }

  /** Returns active webhooks with deliveries that have been due since before a time. */
  async findOverdue(before: Date): Promise<string[]> {
    const rows = await query<{ id: string }>(this.#em, overdueSql, [before])
    return rows.map(({ id }) => id)
  }
}

const selectSql = `
  select id, type, state, attempts, created_at as "createdAt", next_attempt_at as "nextAttemptAt",
    attempted_at as "attemptedAt", duration_ms as "durationMs", request_body as "requestBody",
    response_status as "responseStatus", response_body as "responseBody", error
  from webhook_deliveries`

/** $1 IDs, $2 IDs of webhooks, $3 types, $4 bodies, $5 current time. */
const insertSql = `
  insert into webhook_deliveries (id, webhook_id, type, request_body, next_attempt_at)
  select d.id, d.webhook_id, d.type, d.body, $5
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[]) d (id, webhook_id, type, body)
  where exists (select from webhooks w where w.id = d.webhook_id for key share)`

/** $1 ID of the webhook, $2 limit, $3 current time. */
const claimSql = `
  update webhook_deliveries d set attempts = d.attempts + 1, attempted_at = $3,
    next_attempt_at = $3::timestamptz + make_interval(secs => ${leaseSeconds})
  from (
    select id from webhook_deliveries
    where webhook_id = $1 and state = 'pending' and next_attempt_at <= $3
      and exists (select from webhooks w where w.id = $1 and w.is_active)
    order by next_attempt_at, id limit $2 for update skip locked
  ) due
  where d.id = due.id
  returning d.id, d.request_body as "requestBody", d.attempts, d.first_failed_at as "firstFailedAt"`

/** $1 ID, $2 state, $3 next attempt, $4 duration, $5 status, $6 body, $7 error, $8 current time. */
const finishSql = `
  update webhook_deliveries set state = $2, next_attempt_at = $3, duration_ms = $4,
    response_status = $5, response_body = $6, error = $7,
    first_failed_at = case when $2 = 'delivered' then first_failed_at
      else coalesce(first_failed_at, $8::timestamptz) end
  where id = $1 and state = 'pending'`

/** $1 time. Reads one entry of the index for each webhook. */
const overdueSql = `
  select w.id from webhooks w
  where w.is_active and (
    select next_attempt_at from webhook_deliveries
    where webhook_id = w.id and state = 'pending' order by next_attempt_at limit 1
  ) <= $1`
