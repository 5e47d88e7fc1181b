import type { EntityManager } from '@mikro-orm/postgresql'
import type { ActivityEntry } from '../../gen/daikon/v1/admin_records.ts'
import { query } from '../database/query.ts'
import type { Timestamp } from '../database/sql-values.ts'

type EntryRow = Omit<ActivityEntry, 'target_id' | 'actor_id' | 'workspace_id' | 'created_at'> & {
  target_id: string | null
  actor_id: string | null
  workspace_id: string | null
  created_at: Timestamp
}

/** Entries must match every filter that is set. Results are newest first, or oldest first with `after`. */
export type EntryQuery = {
  action?: string | undefined
  /** Any of these actions. */
  actions?: string[] | undefined
  actorId?: string | undefined
  workspaceId?: string | undefined
  targetId?: string | undefined
  /** Only entries at or after this time (RFC 3339). */
  since?: string | undefined
  /** Only entries before this time (RFC 3339). */
  until?: string | undefined
  /** The user who caused the event or is its target. */
  concernedUserId?: string | undefined
  /** Only entries with a lower id, which are older because ids are UUIDs of version 7. */
  before?: string | undefined
  /** Only entries with a higher id, which are newer. */
  after?: string | undefined
  limit: number
}

export function findEntryRows(em: EntityManager, entryQuery: EntryQuery): Promise<EntryRow[]> {
  const { action, actions, actorId, workspaceId, targetId, since, until } = entryQuery
  const { concernedUserId, before, after, limit } = entryQuery
  const values: unknown[] = []
  const conditions: string[] = []
  const filter = (value: unknown, condition: (placeholder: string) => string) => {
    if (value === undefined) return
    values.push(value)
    conditions.push(condition(`$${values.length}`))
  }
  filter(action, (placeholder) => `action = ${placeholder}`)
  filter(actions, (placeholder) => `action = any(${placeholder}::text[])`)
  filter(actorId, (placeholder) => `actor_id = ${placeholder}`)
  filter(workspaceId, (placeholder) => `workspace_id = ${placeholder}`)
  filter(targetId, (placeholder) => `target_id = ${placeholder}`)
  filter(since, (placeholder) => `created_at >= ${placeholder}`)
  filter(until, (placeholder) => `created_at < ${placeholder}`)
  filter(
    concernedUserId,
    (placeholder) =>
      `(actor_id = ${placeholder} or target_type = 'user' and target_id = ${placeholder})`,
  )
  filter(before, (placeholder) => `id < ${placeholder}`)
  filter(after, (placeholder) => `id > ${placeholder}`)
  const where = conditions.length > 0 ? `where ${conditions.join(' and ')}` : ''
  values.push(limit)
  return query(
    em,
    `select id, action, target_type, target_id, actor_id, workspace_id, detail, created_at
     from activity ${where} order by id ${after === undefined ? 'desc' : 'asc'}
     limit $${values.length}`,
    values,
  )
}

/** Entries of the same action, as one array for each column. */
export type EntryColumns = {
  action: string
  targetType: string
  actorId: string | undefined
  ids: string[]
  targetIds: (string | undefined)[]
  workspaceIds: (string | undefined)[]
  details: object[]
}

export async function insertEntryRows(
  em: EntityManager,
  { action, targetType, actorId, ids, targetIds, workspaceIds, details }: EntryColumns,
): Promise<void> {
  await query(
    em,
    `insert into activity (id, target_id, workspace_id, detail, action, target_type, actor_id)
     select id, target_id, workspace_id, detail, $5, $6, $7::uuid
     from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::jsonb[])
       as e(id, target_id, workspace_id, detail)`,
    [
      ids,
      targetIds,
      workspaceIds,
      details.map((detail) => JSON.stringify(detail)),
      action,
      targetType,
      actorId,
    ],
  )
}

/**
 * Removes the name and e-mail address of a user from the entries about the user, and the slugs of the
 * user's own workspaces, which may contain either. The entries remain.
 */
export async function redactUserEntries(
  em: EntityManager,
  userId: string,
  workspaceIds: string[],
): Promise<void> {
  await query(
    em,
    `update activity
     set detail = detail - case
       when action = 'user.renamed' then '{from,to}'::text[]
       when target_type = 'workspace' then '{slug}'::text[]
       else '{email}'::text[] end
     where target_type = 'user' and target_id = $1
       or target_type = 'workspace' and target_id = any($2::uuid[])`,
    [userId, workspaceIds],
  )
}
