import type { EntityManager } from '@mikro-orm/postgresql'
import { query } from '../../database/query.ts'

/** A logout token to send. */
export type LogoutNotification = { id: string; userId: string; sessionId: string }

/** Notifications to send to one client app concurrently. */
export type LogoutBatch = { clientId: string; uri: string; notifications: LogoutNotification[] }

/** The maximum number of notifications in a batch. */
export const maxBatchSize = 10

/**
 * Seconds after which another batch of the client app may start although this one has not been
 * finished, because its node was killed.
 */
const leaseSeconds = 30

/** The pause in seconds after the first batch that an app did not respond to; it then doubles. */
const firstPause = 5
const maxPause = 600

/** The maximum number of undeliverable notifications that one statement deletes for each app. */
const maxDeleted = 1000

/** The logout tokens that wait to be sent to client apps. */
export class LogoutQueueStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  /**
   * Claims one batch for each of up to `limit` client apps, the apps that have waited longest first,
   * and schedules the next attempt of its notifications. Skips apps that are paused or have a batch
   * in flight on any node. Deletes the notifications of apps without a URI.
   */
  async claim(now: Date, limit: number): Promise<LogoutBatch[]> {
    type Row = LogoutNotification & { clientId: string; uri: string }
    const rows = await query<Row>(this.#em, claimSql, [now, limit])
    const batches = Map.groupBy(rows, ({ clientId }) => clientId)
    return [...batches].map(([clientId, notifications]) => ({
      clientId,
      uri: notifications[0]?.uri ?? '',
      notifications,
    }))
  }

  /**
   * Deletes the received notifications of a batch and ends the batch. If the app did not respond, its
   * next batch waits for a pause that doubles each time.
   */
  async finish(
    clientId: string,
    { received, responded }: { received: string[]; responded: boolean },
    now: Date,
  ): Promise<void> {
    await query(this.#em, finishSql, [clientId, received, responded, now])
  }

  /** Deletes all notifications of an app. */
  async discard(clientId: string): Promise<void> {
    await query(this.#em, 'delete from logout_notifications where client_id = $1', [clientId])
  }
}

/**
 * $1 current time, $2 number of apps. Reads one index entry for each app instead of all
 * notifications.
 */
const claimSql = `
  with recursive waiting (client_id) as (
    (select client_id from logout_notifications order by client_id limit 1)
    union all
    select (select n.client_id from logout_notifications n where n.client_id > w.client_id
      order by n.client_id limit 1)
    from waiting w where w.client_id is not null
  ), undeliverable as (
    delete from logout_notifications where id in (
      select n.id from waiting w
      join client_apps a on a.id = w.client_id and a.backchannel_logout_uri is null
      cross join lateral (select id from logout_notifications
        where client_id = a.id limit ${maxDeleted}) n)
  ), due as (
    select a.id from waiting w join client_apps a on a.id = w.client_id
    left join logout_queues q on q.client_id = a.id
    where a.backchannel_logout_uri is not null and coalesce(q.next_batch_at <= $1, true)
      and exists (select from logout_notifications n where n.client_id = a.id
        and n.next_attempt_at <= $1 and n.expires_at > $1)
    order by q.next_batch_at nulls first limit $2
  ), claimed as (
    insert into logout_queues as q (client_id, next_batch_at)
    select id, $1::timestamptz + make_interval(secs => ${leaseSeconds}) from due
    on conflict (client_id) do update set next_batch_at = excluded.next_batch_at
      where q.next_batch_at <= $1
    returning q.client_id
  ), batch as (
    select n.id from claimed c cross join lateral (
      select id from logout_notifications
      where client_id = c.client_id and next_attempt_at <= $1 and expires_at > $1
      order by next_attempt_at limit ${maxBatchSize} for update skip locked) n
  )
  update logout_notifications n
  set attempts = n.attempts + 1,
    next_attempt_at = $1::timestamptz + make_interval(secs => 10 * power(2, least(n.attempts, 6)))
  from batch, client_apps a
  where n.id = batch.id and a.id = n.client_id
  returning n.id, n.client_id as "clientId", n.user_id as "userId",
    n.session_id as "sessionId", a.backchannel_logout_uri as uri`

/**
 * $1 client ID, $2 IDs of received notifications, $3 whether the app responded, $4 current time.
 */
const finishSql = `
  with received as (delete from logout_notifications where id = any($2::uuid[]))
  update logout_queues set
    failures = case when $3 then 0 else failures + 1 end,
    next_batch_at = $4::timestamptz + make_interval(secs => case when $3 then 0
      else least(${firstPause} * power(2, least(failures, 16)), ${maxPause}) end)
  where client_id = $1`
