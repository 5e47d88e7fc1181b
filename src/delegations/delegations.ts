import type {
  Delegation,
  DelegationPage,
  DeleteDelegationRequest,
  DeleteMyDelegationRequest,
  DeleteWorkspaceDelegationRequest,
  GetMyDelegationRequest,
  ListDelegationsRequest,
  ListMyDelegationsRequest,
  ListMyDelegationsResponse,
  ListWorkspaceDelegationsRequest,
  ListWorkspaceDelegationsResponse,
} from '../../gen/daikon/v1/delegations.ts'
import type { DeleteResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { ServiceError } from '../core/errors.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import { endDelegations } from './end-delegations.ts'
import { reasons } from './reasons.ts'
import type { DelegationFilter, DelegationStore } from './store/delegation-store.ts'
import { viewDelegation } from './view.ts'

type Context = RequestContext<{ activity: ActivityStore; delegations: DelegationStore }>

/** Lists the user's delegations, newest first; those of its workspace in a session through a connection. */
export async function listMyDelegations(
  { stores, principal }: Context,
  _request: ListMyDelegationsRequest,
): Promise<ListMyDelegationsResponse> {
  const delegations = await stores.delegations.list(ownOf(principal))
  return { delegations: delegations.map(viewDelegation) }
}

/** Returns one of the user's delegations. */
export async function getMyDelegation(
  { stores, principal }: Context,
  { delegation_id: id }: GetMyDelegationRequest,
): Promise<Delegation> {
  const [delegation] = await stores.delegations.list({ ...ownOf(principal), id })
  if (!delegation) throw new ServiceError(reasons.DELEGATION_NOT_FOUND)
  return viewDelegation(delegation)
}

/** Ends one of the user's delegations. */
export function deleteMyDelegation(
  context: Context,
  { delegation_id: id }: DeleteMyDelegationRequest,
): Promise<DeleteResponse> {
  return endOne(context, { ...ownOf(context.principal), id })
}

/** Lists the delegations in a workspace, newest first. */
export async function listWorkspaceDelegations(
  { stores }: Context,
  {
    workspace_id: workspaceId,
    user_id: userId,
    agent_id: agentId,
  }: ListWorkspaceDelegationsRequest,
): Promise<ListWorkspaceDelegationsResponse> {
  const delegations = await stores.delegations.list({ workspaceId, userId, agentId })
  return { delegations: delegations.map(viewDelegation) }
}

/** Ends a delegation in a workspace. */
export function deleteWorkspaceDelegation(
  context: Context,
  { workspace_id: workspaceId, delegation_id: id }: DeleteWorkspaceDelegationRequest,
): Promise<DeleteResponse> {
  return endOne(context, { workspaceId, id })
}

/** Lists a page of the delegations of all users, newest first. */
export async function listDelegations(
  { stores }: Context,
  request: ListDelegationsRequest,
): Promise<DelegationPage> {
  const { user_id: userId, agent_id: agentId, workspace_id: workspaceId, ...page } = request
  const found = await stores.delegations.findPage({ userId, agentId, workspaceId }, page)
  return { ...found, items: found.items.map(viewDelegation) }
}

/** Ends the delegation of any user. */
export function deleteDelegation(
  context: Context,
  { delegation_id: id }: DeleteDelegationRequest,
): Promise<DeleteResponse> {
  return endOne(context, { id })
}

/** Ends a delegation that a filter admits. To others, it does not exist. */
async function endOne(
  { stores, principal }: Context,
  filter: DelegationFilter & { id: string },
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const ended = await endDelegations(tx, actorOf(principal), filter)
    if (ended === 0) throw new ServiceError(reasons.DELEGATION_NOT_FOUND)
    return {}
  })
}

/** Returns which delegations are the caller's. */
function ownOf(principal: Context['principal']): DelegationFilter {
  const { id: userId, workspaceId, connectionId } = requireUser(principal)
  return connectionId === undefined ? { userId } : { userId, workspaceId }
}
