import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'
import type { Timestamp } from '../../database/sql-values.ts'
import type { DueWebhook } from './job-queue.ts'

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

/** A delivery to attempt. `attempts` counts this one, `claimedAt` tells it from those of other nodes. */
export type ClaimedDelivery = {
  id: string
  claimedAt: Timestamp
  webhookId: string
  requestBody: string
  attempts: number
  firstFailedAt: Timestamp | null
}

/** The result of an attempt. */
export type Attempt = {
  id: string
  claimedAt: Timestamp
  state: Delivery['state']
  /** When the next attempt is due; null if there will be none. */
  nextAttemptAt: Date | null
  durationMs: number
  responseStatus: number | null
  responseBody: string | null
  error: string | null
}

/**
 * Seconds after which a delivery is attempted again if its node was killed during an attempt: the ten
 * that a webhook has to respond, and as many to record the result.
 */
const leaseSeconds = 20

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

  /**
   * Claims deliveries that are due, up to `limit` of each webhook. No other node gets them before the
   * lease ends.
   */
  claim(webhookIds: string[], limit: number, now: Date): Promise<ClaimedDelivery[]> {
    return query(this.#em, claimSql, [webhookIds, limit, now])
  }

  /**
   * Records the results of attempts whose lease no other node has taken over. Returns the IDs of their
   * deliveries.
   */
  async finish(attempts: Attempt[], now: Date): Promise<string[]> {
    const rows = await query<{ id: string }>(this.#em, finishSql, [JSON.stringify(attempts), now])
    return rows.map(({ id }) => id)
  }

  /** Gives up the pending deliveries of a webhook. */
  async giveUp(webhookId: string): Promise<void> {
    const sql = `update webhook_deliveries set state = 'failed', next_attempt_at = null
      where webhook_id = $1 and state = 'pending'`
    await query(this.#em, sql, [webhookId])
  }

  /**
   * Removes what matches a pattern: `redactBody` from bodies of requests, and whole responses. Reads all
   * deliveries in steps. Then stops the creation of others until the end of the transaction, and reads
   * those that have been created since.
   */
  async redact(pattern: string, redactBody: (body: string) => string): Promise<void> {
    await this.#redactCreated(null, pattern, redactBody)
    await query(this.#em, 'select from webhook_feed for no key update')
    await this.#redactCreated(maxCreation, pattern, redactBody)
  }

  /** Redacts the deliveries that were created within an interval before this transaction, or all. */
  async #redactCreated(
    interval: string | null,
    pattern: string,
    redactBody: (body: string) => string,
  ): Promise<void> {
    for (let after: string | null = null; ; ) {
      const [page]: MatchingPage[] = await query(this.#em, matchingSql, [pattern, after, interval])
      if (!page?.last) return
      const found = await query<{ id: string; body: string }>(this.#em, lockSql, [page.ids ?? []])
      const bodies = found.map(({ body }) => redactBody(body))
      await query(this.#em, redactSql, [found.map(({ id }) => id), bodies])
      after = page.last
    }
  }

  /** Returns when the next delivery of each webhook is due, if any is pending. */
  async findNextDue(webhookIds: string[]): Promise<(DueWebhook & { due: Timestamp })[]> {
    const sql = `select w.id, w.is_slow as "isSlow", d.due from webhooks w cross join lateral (
        select min(next_attempt_at) as due from webhook_deliveries
        where webhook_id = w.id and state = 'pending'
      ) d where w.id = any($1::uuid[]) and d.due is not null`
    return query(this.#em, sql, [webhookIds])
  }

  /** Returns active webhooks with deliveries that have been due since before a time. */
  findOverdue(before: Date): Promise<DueWebhook[]> {
    return query(this.#em, overdueSql, [before])
  }
}

/** The matches in a step, and the last delivery of the step. */
type MatchingPage = { ids: string[] | null; last: string | null }

/** The longest time that a transaction takes to create deliveries and to commit them. */
const maxCreation = '10 minutes'

/** $1 pattern, $2 ID after which the step begins, $3 interval before this transaction, or null for all. */
const matchingSql = `
  select array_agg(id) filter (
      where request_body ~* $1 or response_body ~* $1 or error ~* $1
    ) as ids, (array_agg(id order by id desc))[1] as last
  from (
    select id, request_body, response_body, error from webhook_deliveries
    where ($2::uuid is null or id > $2) and ($3::interval is null or created_at >= now() - $3::interval)
    order by id limit 20000
  ) d`

/** $1 IDs. */
const lockSql = `
  select id, request_body as body from webhook_deliveries where id = any($1::uuid[])
  order by id for no key update`

/** $1 IDs, $2 bodies. */
const redactSql = `
  update webhook_deliveries d
  set request_body = r.body, response_body = null, error = null, is_redacted = true
  from unnest($1::uuid[], $2::text[]) r (id, body) where d.id = r.id`

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

/** $1 IDs of webhooks, $2 limit for each, $3 current time. */
const claimSql = `
  with due as materialized (
    select due.id from webhooks w cross join lateral (
      select id from webhook_deliveries
      where webhook_id = w.id and state = 'pending' and next_attempt_at <= $3
      order by next_attempt_at, id limit $2 for update skip locked
    ) due
    where w.id = any($1::uuid[]) and w.is_active
  )
  update webhook_deliveries d set attempts = d.attempts + 1, attempted_at = $3,
    next_attempt_at = $3::timestamptz + make_interval(secs => ${leaseSeconds})
  from due where d.id = due.id
  returning d.id, d.attempted_at as "claimedAt", d.webhook_id as "webhookId",
    d.request_body as "requestBody", d.attempts, d.first_failed_at as "firstFailedAt"`

/** $1 attempts, $2 current time. */
const finishSql = `
  update webhook_deliveries d set state = a.state, next_attempt_at = a."nextAttemptAt",
    duration_ms = a."durationMs", response_status = a."responseStatus",
    response_body = case when d.is_redacted then null else a."responseBody" end,
    error = case when d.is_redacted then null else a.error end,
    first_failed_at = case when a.state = 'delivered' then first_failed_at
      else coalesce(first_failed_at, $2::timestamptz) end
  from json_to_recordset($1) a (id uuid, "claimedAt" timestamptz, state text,
    "nextAttemptAt" timestamptz, "durationMs" int, "responseStatus" int, "responseBody" text,
    error text)
  where d.id = a.id and d.state = 'pending' and d.attempted_at = a."claimedAt"
  returning d.id`

/** $1 time. Reads one entry of the index for each webhook. */
const overdueSql = `
  select w.id, w.is_slow as "isSlow" from webhooks w
  where w.is_active and (
    select next_attempt_at from webhook_deliveries
    where webhook_id = w.id and state = 'pending' order by next_attempt_at limit 1
  ) <= $1`
