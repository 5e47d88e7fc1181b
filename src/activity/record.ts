import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import { Activity } from '../storage/entities/records.ts'
import { type Detail, type Occurrence, occurrences } from './occurrences.ts'

/** What happened, to what, where. */
export type Entry<Name extends Occurrence> = {
  action: Name
  targetId?: string
  workspaceId?: string
  detail: Detail<Name>
}

/** Writes an entry in the transaction of the change it tells of. A backend service is no actor. */
export async function record<Name extends Occurrence>(
  em: EntityManager,
  { actorId }: { actorId: string | undefined },
  { action, targetId, workspaceId, detail }: Entry<Name>,
): Promise<void> {
  await em.insert(Activity, {
    id: uuid(),
    action,
    target_type: occurrences[action].target,
    target_id: targetId ?? null,
    actor_id: actorId ?? null,
    workspace_id: workspaceId ?? null,
    detail,
  })
}

/** Writes entries by the statement, for changes that come by the thousand. */
export async function recordAll<Name extends Occurrence>(
  em: EntityManager,
  { actorId }: { actorId: string | undefined },
  entries: Entry<Name>[],
): Promise<void> {
  if (entries.length === 0) return
  const rows = entries.map(({ action, targetId, workspaceId, detail }) => ({
    ...{ id: uuid(), action, target_type: occurrences[action].target, target_id: targetId },
    ...{ actor_id: actorId, workspace_id: workspaceId, detail },
  }))
  const columns = 'id, action, target_type, target_id, actor_id, workspace_id, detail'
  await em.execute(
    `insert into activity (${columns})
     select ${columns} from json_populate_recordset(null::activity, ?::json)`,
    [JSON.stringify(rows)],
  )
}
