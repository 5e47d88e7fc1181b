import type { EntityManager } from '@mikro-orm/postgresql'
import { v7 as uuid } from 'uuid'
import type { Principal } from '../core/request-context.ts'
import { Activity } from '../database/entities/records.ts'
import { type ActivityDetail, type ActivityEventName, activityEvents } from './events.ts'
import { insertEntryRows } from './queries.ts'

/** An event to record: what happened, to which target, in which workspace. */
export type ActivityEvent<Name extends ActivityEventName> = {
  action: Name
  targetId?: string
  workspaceId?: string
  detail: ActivityDetail<Name>
}

/** The user or administrator who caused an event; undefined when unknown. */
export type Actor = { actorId: string | undefined }

/** Returns the actor of a call. Backend services are not recorded as actors. */
export function actorOf({ user, admin }: Principal): Actor {
  return { actorId: user?.id ?? admin?.id }
}

/** Records an event in the transaction of the change that caused it. */
export async function recordActivity<Name extends ActivityEventName>(
  em: EntityManager,
  actor: Actor,
  event: ActivityEvent<Name>,
): Promise<void> {
  await em.insert(Activity, createEntryRow(actor, event))
}

/** Records many events of the same action with one statement. */
export async function recordActivityBatch<Name extends ActivityEventName>(
  em: EntityManager,
  { actorId }: Actor,
  action: Name,
  events: Omit<ActivityEvent<Name>, 'action'>[],
): Promise<void> {
  await insertEntryRows(em, {
    action,
    targetType: activityEvents[action].target,
    actorId,
    ids: events.map(() => uuid()),
    targetIds: events.map(({ targetId }) => targetId),
    workspaceIds: events.map(({ workspaceId }) => workspaceId),
    details: events.map(({ detail }) => detail),
  })
}

/** Creates the row of an event, for statements that insert it together with the change. */
export function createEntryRow<Name extends ActivityEventName>(
  { actorId }: Actor,
  { action, targetId, workspaceId, detail }: ActivityEvent<Name>,
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

const columns = 'id action target_type target_id actor_id workspace_id detail'.split(' ')

/** Returns SQL that inserts the `entry` column (JSON of `createEntryRow`) of a CTE of the same statement. */
export function insertEntriesFrom(cte: string): string {
  return `
    insert into activity (${columns.join(', ')})
    select ${columns.map((column) => `e.${column}`).join(', ')}
    from ${cte}, json_populate_record(null::activity, ${cte}.entry) e`
}
