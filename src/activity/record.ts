import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import { arrayLiteral, textArray } from '../storage/array-literal.ts'
import type { BoundStatement } from '../storage/bound-statement.ts'
import { Activity } from '../storage/entities/records.ts'
import { type Detail, type Occurrence, occurrences } from './occurrences.ts'

/** What happened, to what, where. */
export type Entry<Name extends Occurrence> = {
  action: Name
  targetId?: string
  workspaceId?: string
  detail: Detail<Name>
}

/** Whom an entry names: a user, an administrator, or nobody. */
export type Actor = { actorId: string | undefined }

const columns = 'id action target_type target_id actor_id workspace_id detail'.split(' ')

/** Writes an entry in the transaction of the change it tells of. A backend service is no actor. */
export async function record<Name extends Occurrence>(
  em: EntityManager,
  actor: Actor,
  entry: Entry<Name>,
): Promise<void> {
  await em.insert(Activity, entryRow(actor, entry))
}

/** Writes the entries that the rows of `asked`, a part of the same statement, have as their `entry`. */
export const insertEntries = `
  insert into activity (${columns.join(', ')})
  select ${columns.map((column) => `e.${column}`).join(', ')}
  from asked, json_populate_record(null::activity, asked.entry) e`

/** An entry's row. */
export function entryRow<Name extends Occurrence>(
  { actorId }: Actor,
  { action, targetId, workspaceId, detail }: Entry<Name>,
) {
  return {
    id: uuid(),
    action,
    target_type: occurrences[action].target,
    target_id: targetId ?? null,
    actor_id: actorId ?? null,
    workspace_id: workspaceId ?? null,
    detail,
  }
}

/** The statement that writes entries, for changes that come by the thousand. */
export function recordStatement<Name extends Occurrence>(
  { actorId }: Actor,
  action: Name,
  entries: Omit<Entry<Name>, 'action'>[],
): BoundStatement {
  const sql = `
    insert into activity (id, target_id, workspace_id, detail, action, target_type, actor_id)
    select id, target_id, workspace_id, detail, $5, $6, $7::uuid
    from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::jsonb[])
      as e(id, target_id, workspace_id, detail)`
  const values = [
    arrayLiteral(entries.map(() => uuid())),
    arrayLiteral(entries.map(({ targetId }) => targetId)),
    arrayLiteral(entries.map(({ workspaceId }) => workspaceId)),
    textArray(entries.map(({ detail }) => JSON.stringify(detail))),
    ...[action, occurrences[action].target, actorId],
  ]
  return { sql, values }
}
