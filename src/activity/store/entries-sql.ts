import { newId } from '../../core/new-id.ts'
import { requestScope } from '../../core/request-scope.ts'
import type { Actor } from '../actor.ts'
import type { ActivityDetail, ActivityEventName, EventTable } from '../events.ts'

/** An event to record: what happened, to which target, in which workspace. */
export type ActivityEvent<Name extends ActivityEventName = ActivityEventName> = {
  action: Name
  targetId?: string
  workspaceId?: string
  detail: ActivityDetail<Name>
}

/** Creates the entry of one of `events`, which identifies the current request, if any. */
export function createEntry<Name extends ActivityEventName>(
  events: EventTable,
  actor: Actor,
  { action, targetId, workspaceId, detail }: ActivityEvent<Name>,
) {
  const source = requestScope.getStore()?.source
  return {
    id: newId(),
    action,
    target_type: targetOf(events, action),
    target_id: targetId ?? null,
    ...actorColumns(actor),
    workspace_id: workspaceId ?? null,
    detail,
    request_id: source?.requestId ?? null,
    ip: source?.ip ?? null,
    key_hash: source?.keyHash ?? null,
  }
}

function targetOf(events: EventTable, action: string): string {
  const event = events[action]
  if (!event) throw new Error(`no feature of this server declares ${action}`)
  return event.target
}

function actorColumns({ actorId, actorType = 'user', apiKeyPrefix, delegation }: Actor) {
  return {
    actor_id: actorId ?? null,
    actor_type: actorId === undefined ? null : actorType,
    api_key_prefix: apiKeyPrefix ?? null,
    agent_type: delegation?.agent.type ?? null,
    agent_id: delegation?.agent.id ?? null,
    delegation_id: delegation?.id ?? null,
  }
}

const columns = `id, action, target_type, target_id, actor_id, actor_type, api_key_prefix,
  agent_type, agent_id, delegation_id, workspace_id, detail, request_id, ip, service_app_id, key_prefix`

/**
 * The columns of an item that identify its entry and the current request, for statements that insert
 * the entry together with the change. `createEntrySource` returns their values.
 */
export const entrySourceColumns = `entry_id uuid, actor_id uuid, actor_type text, api_key_prefix text,
  agent_type text, agent_id uuid, delegation_id uuid, request_id text, ip text, key_hash text`

/** The names of `entrySourceColumns` in the row `item`, for the CTE that entries are inserted from. */
export const entrySource = `item.entry_id, item.actor_id, item.actor_type, item.api_key_prefix,
  item.agent_type, item.agent_id, item.delegation_id, item.request_id, item.ip, item.key_hash`

export function createEntrySource(actor: Actor) {
  const source = requestScope.getStore()?.source
  return {
    entry_id: newId(),
    ...actorColumns(actor),
    request_id: source?.requestId,
    ip: source?.ip,
    key_hash: source?.keyHash,
  }
}

/**
 * Returns SQL that inserts entries of an event of `events` into the log, from a CTE of the same statement. The CTE has the
 * columns of `entrySourceColumns` and `target_id`, `workspace_id` and `detail`. Columns take about
 * half the time of reading a whole entry from JSON.
 */
export function insertEntriesFrom<Events extends EventTable>(
  cte: string,
  events: Events,
  action: keyof Events & string,
): string {
  return `
    insert into activity (${columns})
    select e.entry_id, '${action}', '${targetOf(events, action)}', e.target_id, e.actor_id,
      e.actor_type, e.api_key_prefix, e.agent_type, e.agent_id, e.delegation_id, e.workspace_id,
      e.detail, e.request_id, e.ip, k.app_id, k.key_prefix
    from ${cte} e
    left join service_keys k on k.key_hash = e.key_hash`
}

/**
 * Inserts entries.
 *
 * | Parameters  | An array with a value for each entry: PostgreSQL takes twice as long for JSON    |
 * | ----------- | -------------------------------------------------------------------------------- |
 * | $1, $2      | ID, action                                                                       |
 * | $3, $4      | type and ID of the target                                                        |
 * | $5, $6      | workspace, detail                                                                |
 * | **$7 on**   | **A value for all entries**                                                      |
 * | $7, $11     | ID and type of the actor                                                         |
 * | $8, $9      | request ID, IP address                                                           |
 * | $10, $12    | hash of the service key, prefix of the API key                                   |
 * | $13, $14    | type and ID of the agent                                                         |
 * | $15         | delegation                                                                       |
 */
export const insertEntriesSql = `
  insert into activity (${columns})
  select e.id, e.action, e.target_type, e.target_id, $7::uuid, $11, $12, $13, $14::uuid,
    $15::uuid, e.workspace_id, e.detail, $8, $9, k.app_id, k.key_prefix
  from unnest($1::uuid[], $2::text[], $3::text[], $4::uuid[], $5::uuid[], $6::jsonb[])
    as e (id, action, target_type, target_id, workspace_id, detail)
  left join service_keys k on k.key_hash = $10`
