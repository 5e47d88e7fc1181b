import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import { arrayLiteral, textArray } from '../storage/array-literal.ts'
import type { BoundStatement } from '../storage/bound-statement.ts'
import { Activity } from '../storage/entities/records.ts'
import type { Statement } from '../storage/prepared.ts'
import { type Detail, type Occurrence, occurrences } from './occurrences.ts'

/** What happened, to what, where. */
export type Entry<Name extends Occurrence> = {
  action: Name
  targetId?: string
  workspaceId?: string
  detail: Detail<Name>
}

type Actor = { actorId: string | undefined }

const columns = 'id action target_type target_id actor_id workspace_id detail'.split(' ')

/** Writes an entry in the transaction of the change it tells of. A backend service is no actor. */
export async function record<Name extends Occurrence>(
  em: EntityManager,
  actor: Actor,
  entry: Entry<Name>,
): Promise<void> {
  await em.insert(Activity, rowOf(actor, entry))
}

/** A change that returns the one row it makes, and the entry that tells of it, as one statement. */
export function recorded<Name extends Occurrence>(
  { name, text, values }: Statement,
  actor: Actor,
  entry: Entry<Name>,
): Statement {
  return {
    name: `${name}_recorded`,
    text: `
      with changed as (${text}), entry as (
        insert into activity (${columns.join(', ')})
        select ${columns.map((column) => `entry.${column}`).join(', ')}
        from changed, json_populate_record(null::activity, $${values.length + 1}::json) entry
      )
      select * from changed`,
    values: [...values, JSON.stringify(rowOf(actor, entry))],
  }
}

function rowOf<Name extends Occurrence>(
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
