import type { EntityManager } from '@mikro-orm/postgresql'
import type { ActivityEntry } from '../../gen/daikon/v1/admin_records.ts'
import { createFilters } from '../database/filters.ts'
import { query } from '../database/query.ts'
import type { Timestamp } from '../database/sql-values.ts'

/** The optional fields of an entry. */
type OptionalField =
  | 'target_id'
  | 'actor_id'
  | 'workspace_id'
  | 'service_app_id'
  | 'key_prefix'
  | 'request_id'
  | 'ip'

export type EntryRow = Omit<ActivityEntry, OptionalField | 'created_at'> &
  Record<OptionalField, string | null> & { created_at: Timestamp }

/**
 * Entries must match every filter that is set. Results are newest first, or oldest first with
 * `after`.
 */
export type EntryQuery = {
  action?: string | undefined
  /** Only entries with one of these actions. */
  actions?: string[] | undefined
  actorId?: string | undefined
  workspaceId?: string | undefined
  targetId?: string | undefined
  /** Only entries at or after this time (RFC 3339). */
  since?: string | undefined
  /** Only entries before this time (RFC 3339). */
  until?: string | undefined
  /** Only entries of events that this user caused, or that have this user as their target. */
  concernedUserId?: string | undefined
  /** Only entries with a lower id. They are older, because ids are UUIDs of version 7. */
  before?: string | undefined
  /** Only entries with a higher id. They are newer. */
  after?: string | undefined
  limit: number
}

const entryColumns = `id, action, target_type, target_id, actor_id, workspace_id, detail, created_at,
  service_app_id, key_prefix, request_id, ip`

/** Returns sealed entries in the order of the hash chain, with their sequence number. */
export function findSealedEntryRows(
  em: EntityManager,
  afterSequence: number,
  limit: number,
): Promise<(EntryRow & { seal_seq: number })[]> {
  return query(
    em,
    `select ${entryColumns}, seal_seq::float8 from activity
     where seal_seq > $1 order by activity.seal_seq limit $2`,
    [afterSequence, limit],
  )
}

export function findEntryRows(em: EntityManager, entryQuery: EntryQuery): Promise<EntryRow[]> {
  const { action, actions, actorId, workspaceId, targetId, since, until } = entryQuery
  const { concernedUserId, before, after, limit } = entryQuery
  const filters = createFilters()
  filters.add(action, (placeholder) => `action = ${placeholder}`)
  filters.add(actions, (placeholder) => `action = any(${placeholder}::text[])`)
  filters.add(actorId, (placeholder) => `actor_id = ${placeholder}`)
  filters.add(workspaceId, (placeholder) => `workspace_id = ${placeholder}`)
  filters.add(targetId, (placeholder) => `target_id = ${placeholder}`)
  filters.add(since, (placeholder) => `created_at >= ${placeholder}`)
  filters.add(until, (placeholder) => `created_at < ${placeholder}`)
  filters.add(
    concernedUserId,
    (placeholder) =>
      `(actor_id = ${placeholder} or target_type = 'user' and target_id = ${placeholder})`,
  )
  filters.add(before, (placeholder) => `id < ${placeholder}`)
  filters.add(after, (placeholder) => `id > ${placeholder}`)
  const values = [...filters.values, limit]
  return query(
    em,
    `select ${entryColumns} from activity ${filters.where()} order by id ${after === undefined ? 'desc' : 'asc'}
     limit $${values.length}`,
    values,
  )
}

/**
 * Removes personal data of a user from the log: name, e-mail address and identifiers at identity
 * providers from the entries about the user, the slugs of the user's own workspaces, which may
 * contain the name or the address, and the IP addresses of the user's requests. The entries remain,
 * and the hash chain remains valid, because it covers only digests, whose salts are removed with
 * the values. Values that the chain covers themselves, in entries of earlier versions, are not
 * removed.
 */
export async function redactUserEntries(
  em: EntityManager,
  userId: string,
  workspaceIds: string[],
): Promise<void> {
  await query(
    em,
    `with redacted as (
       select id, case
         when action = 'user.renamed' then '{from,to}'::text[]
         when target_type = 'workspace' then '{slug}'::text[]
         else '{email,subject}'::text[] end as fields
       from activity
       where target_type = 'user' and target_id = $1
         or target_type = 'workspace' and target_id = any($2::uuid[])
     )
     update activity a
     set detail = a.detail - array(
         select field from unnest(r.fields) field
         where a.seal_seq is null or a.seal_digests ? ('detail.' || field)
       ),
       seal_salts = a.seal_salts - array(select 'detail.' || field from unnest(r.fields) field)
     from redacted r where a.id = r.id`,
    [userId, workspaceIds],
  )
  await query(
    em,
    `update activity set ip = null, seal_salts = seal_salts - 'ip'
     where actor_id = $1 and ip is not null`,
    [userId],
  )
}
