import type { Acknowledgement } from '../../gen/daikon/v1/acknowledgement.ts'
import type {
  ChildGroupRequest,
  GroupRequest,
  ListGroupsResponse,
} from '../../gen/daikon/v1/groups.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { requireGroup, toGroupResponse } from './groups.ts'
import { createNamedEvent } from './named-objects.ts'
import { reasons } from './reasons.ts'
import type { GroupHierarchyStore, GroupLink } from './store/group-hierarchy-store.ts'
import type { GroupStore, StoredGroup } from './store/group-store.ts'

type HierarchyStores = { groups: GroupStore; groupHierarchy: GroupHierarchyStore }

type ChangeStores = HierarchyStores & { activity: ActivityStore }

/** The maximum number of groups in a chain from a group to a descendant, including both. */
const maxChainLength = 16

/** Lists the children of a group, by name. */
export async function listChildGroups(
  { stores }: RequestContext<{ groups: GroupStore }>,
  request: GroupRequest,
): Promise<ListGroupsResponse> {
  const { id } = await requireGroup(stores.groups, request)
  return { groups: (await stores.groups.listChildren(id)).map(toGroupResponse) }
}

/** Adds a group of the same workspace as a child of a group; idempotent. */
export async function addChildGroup(
  { stores, principal }: WriteContext<ChangeStores>,
  request: ChildGroupRequest,
): Promise<Acknowledgement> {
  return stores.transaction(async (tx) => {
    const { parent, link } = await requireLocked(tx, request)
    const { isLinked, isCycle, length } = await tx.groupHierarchy.describeLink(link, maxChainLength)
    if (isLinked) return { status: 'ok' }
    if (isCycle) throw new ServiceError(reasons.GROUP_CYCLE)
    if (length > maxChainLength) throw chainTooLong()
    await tx.groupHierarchy.addLink(link)
    const event = createNamedEvent('group.child_added', parent, { child_id: link.childId })
    await tx.activity.record(actorOf(principal), event)
    return { status: 'ok' }
  })
}

/** Removes a child from a group without deleting the child. */
export async function removeChildGroup(
  { stores, principal }: WriteContext<ChangeStores>,
  request: ChildGroupRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const { parent, link } = await requireLocked(tx, request)
    if (!(await tx.groupHierarchy.removeLink(link)))
      throw new ServiceError(reasons.CHILD_GROUP_NOT_FOUND)
    const event = createNamedEvent('group.child_removed', parent, { child_id: link.childId })
    await tx.activity.record(actorOf(principal), event)
    return {}
  })
}

/** Locks the hierarchy of a workspace and finds a group and a child in it. */
async function requireLocked(
  tx: HierarchyStores,
  request: ChildGroupRequest,
): Promise<{ parent: StoredGroup; link: GroupLink }> {
  const { workspaceId } = await requireGroup(tx.groups, request)
  await tx.groupHierarchy.lock(workspaceId, [request.group_id, request.child_id])
  // Read under the locks, because a concurrent call may have deleted either group.
  const parent = await requireGroup(tx.groups, request)
  const child = await tx.groups.find(request.child_id, workspaceId)
  if (!child) throw new ServiceError(reasons.CHILD_GROUP_NOT_FOUND)
  return { parent, link: { parentId: parent.id, childId: child.id, workspaceId } }
}

function chainTooLong(): ServiceError {
  const message = `must not be nested more than ${maxChainLength} levels deep`
  return new ServiceError(reasons.GROUP_CHAIN_TOO_LONG, `child_id ${message}`, {
    violations: [{ field: 'child_id', message }],
  })
}
