import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  ActivityEntry,
  ListActivityRequest,
  ListActivityResponse,
} from '../../gen/daikon/v1/admin_records.ts'
import type { RequestContext } from '../core/request-context.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import { activityEvents } from './events.ts'

/** The log, the newest first; what happens meanwhile comes before what has been read. */
export async function listActivity(
  { em }: Pick<RequestContext, 'em'>,
  { limit = 50, before, ...filters }: ListActivityRequest,
): Promise<ListActivityResponse> {
  const items = await readEntries(em, {
    ...{ filters, limit: limit + 1 },
    ...(before !== undefined && { before }),
  })
  const last = items.length > limit ? items[limit - 1] : undefined
  return { items: items.slice(0, limit), ...(last && { next_before: last.id }) }
}

type Filters = Pick<ListActivityRequest, 'action' | 'actor_id' | 'workspace_id' | 'target_type'>

/** Which entries: the newest first, or the oldest first of those after an id. */
type Wanted = { filters?: Filters; before?: string; after?: string; limit: number }

type EntryRow = Omit<ActivityEntry, 'target_id' | 'actor_id' | 'workspace_id' | 'created_at'> & {
  target_id: string | null
  actor_id: string | null
  workspace_id: string | null
  created_at: Timestamp
}

/** Entries in the order of their ids, which is the order of time (UUID v7). */
export async function readEntries(
  em: EntityManager,
  { filters: { action, actor_id, workspace_id, target_type } = {}, before, after, limit }: Wanted,
): Promise<ActivityEntry[]> {
  const ofType = target_type === undefined ? undefined : actionsOf(target_type)
  const tests: Record<string, string | string[] | undefined> = {
    'action = ?': action,
    'actor_id = ?': actor_id,
    'workspace_id = ?': workspace_id,
    [`action in (${ofType?.map(() => '?')})`]: ofType,
    'id < ?': before,
    'id > ?': after,
  }
  const given = Object.entries(tests).filter(([, value]) => value !== undefined)
  const where = given.length > 0 ? `where ${given.map(([test]) => test).join(' and ')}` : ''
  const rows = await em.execute<EntryRow[]>(
    `select id, action, target_type, target_id, actor_id, workspace_id, detail, created_at
     from activity ${where} order by id ${after === undefined ? 'desc' : ''} limit ?`,
    [...given.flatMap(([, value]) => value), limit],
  )
  return rows.map(view)
}

/** The occurrences that happen to a type of target. */
function actionsOf(targetType: string): string[] {
  const all = Object.entries(activityEvents)
  return all.filter(([, { target }]) => target === targetType).map(([action]) => action)
}

function view({ target_id, actor_id, workspace_id, created_at, ...row }: EntryRow): ActivityEntry {
  return {
    ...row,
    ...(target_id && { target_id }),
    ...(actor_id && { actor_id }),
    ...(workspace_id && { workspace_id }),
    created_at: isoTime(created_at),
  }
}
