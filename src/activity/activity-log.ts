import type {
  ListActivityRequest,
  ListActivityResponse,
} from '../../gen/daikon/v1/admin_records.ts'
import type { RequestContext } from '../core/request-context.ts'
import type { EventTable } from './events.ts'
import type { ActivityStore } from './store/activity-store.ts'

/**
 * Returns a page of the log, newest entry first. Cursors are IDs, so that new entries do not shift
 * pages.
 */
export async function listActivity(
  { stores }: Pick<RequestContext<{ activity: ActivityStore }>, 'stores'>,
  request: ListActivityRequest,
): Promise<ListActivityResponse> {
  const { action, actor_id, agent_id, workspace_id, target_type, target_id } = request
  const { since, until, before, limit = 50 } = request
  const items = await stores.activity.find({
    action,
    actions: target_type === undefined ? undefined : actionsOf(stores.activity.events, target_type),
    actorId: actor_id,
    agentId: agent_id,
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

function actionsOf(events: EventTable, targetType: string): string[] {
  return Object.entries(events)
    .filter(([, { target }]) => target === targetType)
    .map(([action]) => action)
}
