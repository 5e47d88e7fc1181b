import type {
  AcceptInvitationRequest,
  AcceptInvitationResponse,
  DeclineInvitationRequest,
  DeclineInvitationResponse,
  LeaveWorkspaceRequest,
  LeaveWorkspaceResponse,
  ListInvitationsRequest,
  ListInvitationsResponse,
} from '../../gen/daikon/v1/users.ts'
import type { AdminPorts } from '../admin/ports.ts'
import { reasons as adminReasons } from '../admin/reasons.ts'
import { ServiceError } from '../core/errors.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import type { IdentityPorts } from '../identity/ports.ts'
import { reasons as identityReasons } from '../identity/reasons.ts'
import type { ClaimsStore, UserWorkspace } from '../identity/store/claims-store.ts'
import type { UserStore } from '../identity/store/user-store.ts'
import { memberNotFound } from '../workspaces/member-rules.ts'
import { type MemberRemovalStores, removeMember } from '../workspaces/members.ts'

type Stores = MemberRemovalStores &
  Pick<AdminPorts, 'provisionedUsers'> &
  Pick<IdentityPorts, 'signInInvitations'> & { claims: ClaimsStore; users: UserStore }
type Context = RequestContext<Stores>

/** Lists the pending invitations of the user. */
export async function listInvitations(
  { stores, principal }: Context,
  _request: ListInvitationsRequest,
): Promise<ListInvitationsResponse> {
  const workspaces = await stores.claims.listWorkspaces(requireUser(principal).id)
  const invitations = workspaces
    .filter(({ status }) => status === 'invited')
    .map(({ id, name, role, inviter, createdAt }) => ({
      workspace_id: id,
      workspace_name: name,
      role,
      ...(inviter && { invited_by: inviter }),
      created_at: new Date(Number(createdAt) * 1000).toISOString(),
    }))
  return { invitations }
}

/** Makes the user join a workspace that has invited them. */
export async function acceptInvitation(
  { stores, principal, now }: Context,
  { workspace_id: workspaceId }: AcceptInvitationRequest,
): Promise<AcceptInvitationResponse> {
  const { id: userId } = requireUser(principal)
  return stores.transaction(async (tx) => {
    await tx.users.lock(userId)
    const { role } = await requireInvitation(tx, userId, workspaceId)
    await tx.signInInvitations.accept({ userId, workspaceId }, now)
    return { workspace_id: workspaceId, role, status: 'active' }
  })
}

/** Removes a pending invitation of the user. */
export async function declineInvitation(
  context: Context,
  { workspace_id }: DeclineInvitationRequest,
): Promise<DeclineInvitationResponse> {
  const { id: user_id } = requireUser(context.principal)
  await requireInvitation(context.stores, user_id, workspace_id)
  await removeMember(context, { workspace_id, user_id })
  return {}
}

/** Ends a membership of the user, unless a directory manages it. */
export async function leaveWorkspace(
  context: Context,
  { workspace_id }: LeaveWorkspaceRequest,
): Promise<LeaveWorkspaceResponse> {
  const { stores, principal } = context
  const { id: user_id } = requireUser(principal)
  const provisioned = await stores.provisionedUsers.list(user_id)
  if (provisioned.some((one) => one.workspace_id === workspace_id))
    throw new ServiceError(adminReasons.DIRECTORY_OWNED, directoryOwned)
  if ((await findWorkspace(stores, user_id, workspace_id))?.status !== 'active')
    throw memberNotFound()
  await removeMember(context, { workspace_id, user_id })
  return {}
}

async function requireInvitation(
  stores: Pick<Stores, 'claims'>,
  userId: string,
  workspaceId: string,
): Promise<UserWorkspace> {
  const workspace = await findWorkspace(stores, userId, workspaceId)
  if (workspace?.status === 'invited') return workspace
  throw new ServiceError(identityReasons.INVITATION_ENDED)
}

async function findWorkspace(
  { claims }: Pick<Stores, 'claims'>,
  userId: string,
  workspaceId: string,
): Promise<UserWorkspace | undefined> {
  return (await claims.listWorkspaces(userId)).find(({ id }) => id === workspaceId)
}

const directoryOwned = 'A directory manages the membership. Ask its administrators to end it.'
