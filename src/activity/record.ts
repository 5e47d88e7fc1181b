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
