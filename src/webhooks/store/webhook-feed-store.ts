import type { EntityManager } from '@mikro-orm/postgresql'
import { type Cursor, createCursor } from '../../activity/feed/cursor.ts'
import { query } from '../../database/query.ts'
import type { DueWebhook } from './job-queue.ts'

/** A webhook that receives events. */
export type Subscription = DueWebhook & { events: string[]; workspaceId: string | null }

/** The position in the activity log up to which deliveries have been created. */
export class WebhookFeedStore {
  readonly #em: EntityManager

  constructor(em: EntityManager) {
    this.#em = em
  }

  async hasSubscriptions(): Promise<boolean> {
    const sql = 'select exists (select from webhooks where is_active) as "isUsed"'
    const [row] = await query<{ isUsed: boolean }>(this.#em, sql)
    return row?.isUsed ?? false
  }

  /** Locks and returns the position, or undefined if another node has locked it. */
  async lock(): Promise<Cursor | undefined> {
    const sql = 'select position::float8 as position, hash from webhook_feed for update skip locked'
    const [row] = await query<Cursor>(this.#em, sql)
    return row && createCursor(row.position, row.hash)
  }

  async set({ position, hash }: Cursor): Promise<void> {
    await query(this.#em, 'update webhook_feed set position = $1, hash = $2', [position, hash])
  }

  /** Moves the position to the end of the log if no webhook is active. */
  async startIfIdle(): Promise<void> {
    await query(this.#em, startSql)
  }

  /** Returns the active webhooks. */
  findSubscriptions(): Promise<Subscription[]> {
    const sql = `select id, is_slow as "isSlow", events, workspace_id as "workspaceId"
      from webhooks where is_active order by id`
    return query(this.#em, sql)
  }
}

const startSql = `
  update webhook_feed set (position, hash) = (select last_seq, last_hash from activity_chain)
  where not exists (select from webhooks where is_active)`
