import type {
  ActivityEntry,
  ListActivityRequest,
  ListActivityResponse,
} from '../../gen/daikon/v1/admin_records.ts'
import { listActivity } from '../activity/activity-log.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import type { MemberStore } from './store/member-store.ts'

/**
 * Returns a page of the log of a workspace. Only the IP addresses of its members are shown: those of
 * administrators and backend services are not the customer's business.
 */
export async function listWorkspaceActivity(
  { stores, principal }: RequestContext<{ activity: ActivityStore; members: MemberStore }>,
  request: ListActivityRequest,
): Promise<ListActivityResponse> {
  const { workspaceId } = requireUser(principal)
  const page = await listActivity({ stores }, { ...request, workspace_id: workspaceId })
  const actors = new Set(page.items.flatMap(({ actor_id }) => actor_id ?? []))
  const members = await stores.members.findUserIds(workspaceId, [...actors])
  const isMember = ({ actor_id }: ActivityEntry) => actor_id !== undefined && members.has(actor_id)
  const withoutAddress = ({ ip: _, ...entry }: ActivityEntry): ActivityEntry => entry
  return {
    ...page,
    items: page.items.map((entry) => (isMember(entry) ? entry : withoutAddress(entry))),
  }
}
