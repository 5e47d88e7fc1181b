import type { AddUserToWorkspaceRequest } from '../../gen/daikon/v1/admin_users.ts'
import type {
  InviteMemberRequest,
  WorkspaceMemberResponse,
} from '../../gen/daikon/v1/workspaces.ts'
import { record } from '../activity/record.ts'
import { normalizeEmail } from '../identity/email.ts'
import { ensureUser } from '../identity/ensure-user.ts'
import { userMissing } from '../identity/user-faults.ts'
import { type Acting, actorOf, type Context } from '../rpc/call.ts'
import { Fault } from '../rpc/fault.ts'
import { Member, User } from '../storage/entities/people.ts'
import { inTransaction } from '../storage/transaction.ts'
import { findMember, requireMember } from './member-view.ts'
import { lockOwners, requireAnotherOwner, requireRightsOver } from './owners.ts'
import type { Role } from './roles.ts'

/** Whom the invitation is for, and as what. */
type Invited = { user_id: string; email: string; role: Role }

/** Invites an address, whoever it belongs to; the answer tells nothing of that. */
export async function inviteMember(
  { em, caller }: Context,
  request: InviteMemberRequest,
): Promise<WorkspaceMemberResponse> {
  // Its form is one of the field rules.
  const email = normalizeEmail(request.email) as string
  return inTransaction(em, async (em) => {
    const workspaceId = await lockOwners(em, request.workspace_id)
    const user_id = await ensureUser(em, email)
    return invite({ em, caller }, workspaceId, { user_id, email, role: roleOf(request) })
  })
}

/** Invites a user who is known already. */
export async function addUserToWorkspace(
  { em, caller }: Context,
  request: AddUserToWorkspaceRequest,
): Promise<WorkspaceMemberResponse> {
  return inTransaction(em, async (em) => {
    const workspaceId = await lockOwners(em, request.workspace_id)
    const user = await em.findOne(User, { id: request.user_id })
    if (!user) throw userMissing()
    const { id: user_id, email } = user
    return invite({ em, caller }, workspaceId, { user_id, email, role: roleOf(request) })
  })
}

/** Makes the membership, or gives a pending one another role. */
async function invite(
  { em, caller }: Acting,
  workspace_id: string,
  { user_id, email, role }: Invited,
): Promise<WorkspaceMemberResponse> {
  const known = await findMember(em, workspace_id, user_id)
  if (known?.status === 'active')
    throw new Fault('conflict', 'ALREADY_A_MEMBER', 'This person is a member already')
  requireRightsOver(caller, [role, ...(known ? [known.role] : [])])
  if (known?.role === 'owner' && role !== 'owner') await requireAnotherOwner(em, known)
  await em.upsert(Member, { workspace_id, user_id, role })
  const entry = { action: 'member.invited', detail: { email, role } } as const
  await record(em, actorOf(caller), { ...entry, targetId: user_id, workspaceId: workspace_id })
  return requireMember(em, workspace_id, user_id)
}

/** The role of whoever asks for none. */
function roleOf({ role = 'viewer' }: { role?: string | undefined }): Role {
  return role as Role
}
