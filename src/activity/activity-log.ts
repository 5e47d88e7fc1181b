import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  ActivityEntry,
  ListActivityRequest,
  ListActivityResponse,
} from '../../gen/daikon/v1/admin_records.ts'
import type { RequestContext } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { activityEvents } from './events.ts'
import { type EntryQuery, type EntryRow, findEntryRows } from './queries.ts'

/**
 * Returns a page of the log, newest entry first. Cursors are ids, so that new entries do not shift
 * pages.
 */
export async function listActivity(
  { em }: Pick<RequestContext, 'em'>,
  request: ListActivityRequest,
): Promise<ListActivityResponse> {
  const { action, actor_id, workspace_id, target_type, target_id, since, until } = request
  const { before, limit = 50 } = request
  const items = await findEntries(em, {
    action,
    actions: target_type === undefined ? undefined : actionsOf(target_type),
    actorId: actor_id,
    workspaceId: workspace_id,
    targetId: target_id,
    since,
    until,
    before,
    limit: limit + 1,
  })
  const last = items.length > limit ? items[limit - 1] : undefined
  return { items: items.slice(0, limit), ...(last && { next_before: last.id }) }
}

/** Returns entries newest first, or oldest first with `after`. */
export async function findEntries(
  em: EntityManager,
  entryQuery: EntryQuery,
): Promise<ActivityEntry[]> {
  const rows = await findEntryRows(em, entryQuery)
  return rows.map(viewEntry)
}

/** Converts a row to an entry, omitting the fields that are null. */
export function viewEntry({ created_at, ...row }: EntryRow): ActivityEntry {
  const fields = Object.entries(row).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(fields), created_at: isoTime(created_at) } as ActivityEntry
}

function actionsOf(targetType: string): string[] {
  return Object.entries(activityEvents)
    .filter(([, { target }]) => target === targetType)
    .map(([action]) => action)
}
