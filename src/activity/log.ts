import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  ActivityEntry,
  ListActivityRequest,
  ListActivityResponse,
} from '../../gen/daikon/v1/admin_records.ts'
import type { Context } from '../rpc/call.ts'
import { type FieldProblem, invalid } from '../rpc/fault.ts'
import { Activity } from '../storage/entities/records.ts'
import { given } from '../storage/given.ts'
import { isoTime } from '../storage/timestamp.ts'
import { occurrences } from './occurrences.ts'

const actions: string[] = Object.keys(occurrences)
const targets: string[] = Object.values(occurrences).map(({ target }) => target)

/** The log, the newest first; what happens meanwhile comes before what has been read. */
export async function listActivity(
  { em }: Pick<Context, 'em'>,
  { limit = 50, before, ...filters }: ListActivityRequest,
): Promise<ListActivityResponse> {
  const problems = [
    ...unknownValue('action', filters.action, actions),
    ...unknownValue('target_type', filters.target_type, targets),
  ]
  if (problems.length > 0) throw invalid(...problems)
  const where = { ...given(filters), ...(before && { id: { $lt: before } }) }
  const items = await readEntries(em, where, 'desc', limit + 1)
  const last = items.length > limit ? items[limit - 1] : undefined
  return { items: items.slice(0, limit), ...(last && { next_before: last.id }) }
}

/** Entries in the order of their ids, which is the order of time (UUID v7). */
export async function readEntries(
  em: EntityManager,
  where: object,
  order: 'asc' | 'desc',
  limit: number,
): Promise<ActivityEntry[]> {
  const options = { orderBy: { id: order }, limit, disableIdentityMap: true }
  const rows = await em.find(Activity, where, options)
  return rows.map((row) => ({
    id: row.id,
    action: row.action,
    target_type: row.target_type,
    ...(row.target_id && { target_id: row.target_id }),
    ...(row.actor_id && { actor_id: row.actor_id }),
    ...(row.workspace_id && { workspace_id: row.workspace_id }),
    detail: row.detail,
    created_at: isoTime(row.created_at),
  }))
}

function unknownValue(field: string, value: string | undefined, known: string[]): FieldProblem[] {
  if (value === undefined || known.includes(value)) return []
  return [{ field, message: `must be one of ${[...new Set(known)].join(', ')}` }]
}
