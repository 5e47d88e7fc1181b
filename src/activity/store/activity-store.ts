import type { EntityManager } from '@mikro-orm/postgresql'
import type { ActivityEntry } from '../../../gen/daikon/v1/admin_records.ts'
import { query } from '../../database/query.ts'
import { isoTime, type Timestamp } from '../../database/sql-values.ts'
import type { Actor } from '../actor.ts'
import type { ActivityEventName, EventTable } from '../events.ts'
import { type ActivityEvent, createEntry, insertEntriesSql } from './entries-sql.ts'
import { createEntriesSql, type EntryQuery, entryColumns } from './entry-query.ts'

/** An entry and its position in the hash chain. */
export type SequencedEntry = { sequence: number; entry: ActivityEntry }

/** The entries of the activity log. */
export class ActivityStore {
  /** The events of all features. */
  readonly events: EventTable
  readonly #em: EntityManager

  constructor(em: EntityManager, events: EventTable) {
    this.#em = em
    this.events = events
  }

  /** Records events. Call it in the transaction of the change that caused them. */
  async record<Name extends ActivityEventName>(
    actor: Actor,
    ...events: ActivityEvent<Name>[]
  ): Promise<void> {
    const entries = events.map((event) => createEntry(this.events, actor, event))
    const [first] = entries
    if (!first) return
    await query(this.#em, insertEntriesSql, [
      entries.map(({ id }) => id),
      entries.map(({ action }) => action),
      entries.map(({ target_type }) => target_type),
      entries.map(({ target_id }) => target_id),
      entries.map(({ workspace_id }) => workspace_id),
      entries.map(({ detail }) => JSON.stringify(detail)),
      first.actor_id,
      first.request_id,
      first.ip,
      first.key_hash,
      first.actor_type,
      first.api_key_prefix,
      first.agent_type,
      first.agent_id,
      first.delegation_id,
    ])
  }

  /** Returns the entries that match a query. */
  async find(entryQuery: EntryQuery): Promise<ActivityEntry[]> {
    const { sql, values } = createEntriesSql(entryQuery)
    return (await query<EntryRow>(this.#em, sql, values)).map(toEntry)
  }

  /** Returns sealed entries in the order of the hash chain. */
  async findSealed(afterSequence: number, limit: number): Promise<SequencedEntry[]> {
    const rows = await query<EntryRow & { seal_seq: number }>(this.#em, sealedSql, [
      afterSequence,
      limit,
    ])
    return rows.map(({ seal_seq: sequence, ...row }) => ({ sequence, entry: toEntry(row) }))
  }

  /**
   * Returns the rejected service keys of these apps whose use was recorded within the last hour,
   * each as `<app id> <key prefix>`.
   */
  async findEndedKeyUses(appIds: string[]): Promise<Set<string>> {
    const rows = await query<{ key: string }>(this.#em, endedKeyUsesSql, [appIds])
    return new Set(rows.map(({ key }) => key))
  }

  /** Whether an event about a target was recorded within the day before `now`. */
  async wasRecordedToday(action: ActivityEventName, targetId: string, now: Date): Promise<boolean> {
    const rows = await query(this.#em, recordedTodaySql, [targetId, action, now])
    return rows.length > 0
  }

  /**
   * Removes personal data of a user from the log:
   *
   * - name, e-mail address and identifiers at identity providers from the entries about the user
   * - the slugs of the user's own workspaces, which may contain the name or the address
   * - the IP addresses of the user's requests
   * - conditions of shares and links that match `pattern`
   *
   * The entries remain, and the hash chain remains valid, because it covers only digests, whose salts are
   * removed with the values. Values that earlier versions of daikon hashed directly are not removed.
   */
  async redactUser(userId: string, workspaceIds: string[], pattern?: string): Promise<void> {
    if (pattern !== undefined) await this.#redactConditions(pattern)
    await query(this.#em, redactDetailsSql, [userId, workspaceIds])
    await query(this.#em, redactAddressesSql, [userId])
  }

  /** Removes the conditions that match a pattern, in steps. */
  async #redactConditions(pattern: string): Promise<void> {
    let after: string | undefined
    do {
      const values = [after, pattern]
      const [page]: { last: string }[] = await query(this.#em, redactConditionsSql, values)
      after = page?.last
    } while (after !== undefined)
  }
}

/** The optional fields of an entry. */
type OptionalField =
  | 'target_id'
  | 'actor_id'
  | 'actor_type'
  | 'api_key_prefix'
  | 'agent_type'
  | 'agent_id'
  | 'delegation_id'
  | 'workspace_id'
  | 'service_app_id'
  | 'key_prefix'
  | 'request_id'
  | 'ip'

export type EntryRow = Omit<ActivityEntry, OptionalField | 'created_at'> &
  Record<OptionalField, string | null> & { created_at: Timestamp }

/** Converts a row to an entry, omitting the fields that are null. */
export function toEntry({ created_at, ...row }: EntryRow): ActivityEntry {
  const fields = Object.entries(row).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(fields), created_at: isoTime(created_at) } as ActivityEntry
}

/** $1 sequence number, $2 limit. Returns the sealed entries after a position in the hash chain. */
const sealedSql = `
  select ${entryColumns}, seal_seq::float8 from activity
  where seal_seq > $1 order by activity.seal_seq limit $2`

/** $1 IDs of service apps. */
const endedKeyUsesSql = `
  select target_id || ' ' || (detail ->> 'key_prefix') as key from activity
  where target_id = any($1::uuid[]) and action = 'service_app.ended_key_used'
    and created_at > now() - interval '1 hour'`

/** $1 ID of the target, $2 action, $3 current time. */
const recordedTodaySql = `
  select from activity
  where target_id = $1 and action = $2 and created_at > $3::timestamptz - interval '1 day' limit 1`

/**
 * $1 user ID, $2 IDs of the user's own workspaces. Removes personal values from details, unless the
 * hash chain covers them without a digest.
 */
const redactDetailsSql = `
  with redacted as (
    select id, case
      when action = 'user.renamed' then '{from,to}'::text[]
      when target_type = 'workspace' then '{slug}'::text[]
      else '{email,subject}'::text[] end as fields
    from activity where target_type = 'user' and target_id = $1
    union all
    select id, '{slug}' from activity where target_type = 'workspace' and target_id = any($2::uuid[])
  )
  update activity a
  set detail = a.detail - array(
      select field from unnest(r.fields) field
      where a.seal_seq is null or a.seal_digests ? ('detail.' || field)
    ),
    seal_salts = a.seal_salts - array(select 'detail.' || field from unnest(r.fields) field)
  from redacted r where a.id = r.id`

/** $1 ID after which the step begins, $2 pattern. Returns the last entry of the step. */
const redactConditionsSql = `
  with step as (
    select id, detail ->> 'condition' as condition from activity
    where detail ? 'condition' and ($1::uuid is null or id > $1) order by id limit 20000
  ), redacted as (
    update activity a set detail = detail - 'condition', seal_salts = seal_salts - 'detail.condition'
    where a.id = any(array(select id from step where condition ~* $2))
      and (a.seal_seq is null or a.seal_digests ? 'detail.condition')
  )
  select id as last from step order by id desc limit 1`

/** $1 user ID. */
const redactAddressesSql = `
  update activity set ip = null, seal_salts = seal_salts - 'ip'
  where actor_id = $1 and ip is not null`
