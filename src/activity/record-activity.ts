import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type { Principal } from '../core/request-context.ts'
import type { BoundStatement } from '../database/bound-statement.ts'
import { Activity } from '../database/entities/records.ts'
import { arrayLiteral, textArray } from '../database/sql-values.ts'
import { type ActivityDetail, type ActivityEventName, activityEvents } from './events.ts'

/** What happened, to what, where. */
export type ActivityEntryInput<Name extends ActivityEventName> = {
  action: Name
  targetId?: string
  workspaceId?: string
  detail: ActivityDetail<Name>
}

/** Whom an entry names: a user, an administrator, or nobody. */
export type Actor = { actorId: string | undefined }

/** The actor of a change. A backend service is not recorded as one. */
export function actorOf({ user, admin }: Principal): Actor {
  return { actorId: user?.id ?? admin?.id }
}

const columns = 'id action target_type target_id actor_id workspace_id detail'.split(' ')

/** Writes an entry in the transaction of the change it tells of. A backend service is no actor. */
export async function recordActivity<Name extends ActivityEventName>(
  em: EntityManager,
  actor: Actor,
  entry: ActivityEntryInput<Name>,
): Promise<void> {
  await em.insert(Activity, entryRow(actor, entry))
}

/** Returns SQL that inserts the `entry` column (JSON of `entryRow`) of a CTE of the same statement. */
export function insertEntriesFrom(cte: string): string {
  return `
    insert into activity (${columns.join(', ')})
    select ${columns.map((column) => `e.${column}`).join(', ')}
    from ${cte}, json_populate_record(null::activity, ${cte}.entry) e`
}

/** An entry's row. */
export function entryRow<Name extends ActivityEventName>(
  { actorId }: Actor,
  { action, targetId, workspaceId, detail }: ActivityEntryInput<Name>,
) {
  return {
    id: uuid(),
    action,
    target_type: activityEvents[action].target,
    target_id: targetId ?? null,
    actor_id: actorId ?? null,
    workspace_id: workspaceId ?? null,
    detail,
  }
}

/** The statement that writes entries, for changes that come by the thousand. */
export function recordActivityStatement<Name extends ActivityEventName>(
  { actorId }: Actor,
  action: Name,
  entries: Omit<ActivityEntryInput<Name>, 'action'>[],
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
    ...[action, activityEvents[action].target, actorId],
  ]
  return { sql, values }
}
