import type { AddUserToWorkspaceRequest } from '../../gen/daikon/v1/admin_users.ts'
import type {
  InviteMemberRequest,
  WorkspaceMemberResponse,
} from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { normalizeEmail } from '../core/email.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { Role } from '../core/roles.ts'
import { Member, User } from '../database/entities/people.ts'
import { inTransaction } from '../database/transaction.ts'
import { userNotFound } from '../identity/user-errors.ts'
import { ensureUser } from '../identity/users.ts'
import { findMember, requireMember } from './member-view.ts'
import { lockOwners, requireAnotherOwner, requireRightsOver } from './owners.ts'

/** Whom the invitation is for, and as what. */
type Invited = { user_id: string; email: string; role: Role }

/** Invites an address, whoever it belongs to; the answer tells nothing of that. */
export async function inviteMember(
  { em, principal }: RequestContext,
  request: InviteMemberRequest,
): Promise<WorkspaceMemberResponse> {
  // Its form is one of the field rules.
  const email = normalizeEmail(request.email) as string
  return inTransaction(em, async (em) => {
    const workspaceId = await lockOwners(em, request.workspace_id)
    const user_id = await ensureUser(em, email)
    return invite({ em, principal }, workspaceId, { user_id, email, role: roleOf(request) })
  })
}

/** Invites a user who is known already. */
export async function addUserToWorkspace(
  { em, principal }: RequestContext,
  request: AddUserToWorkspaceRequest,
): Promise<WorkspaceMemberResponse> {
  return inTransaction(em, async (em) => {
    const workspaceId = await lockOwners(em, request.workspace_id)
    const user = await em.findOne(User, { id: request.user_id })
    if (!user) throw userNotFound()
    const { id: user_id, email } = user
    return invite({ em, principal }, workspaceId, { user_id, email, role: roleOf(request) })
  })
}

/** Makes the membership, or gives a pending one another role. */
async function invite(
  { em, principal }: WriteContext,
  workspace_id: string,
  { user_id, email, role }: Invited,
): Promise<WorkspaceMemberResponse> {
  const known = await findMember(em, workspace_id, user_id)
  if (known?.status === 'active')
    throw new ServiceError('already_exists', 'ALREADY_A_MEMBER', 'This person is a member already')
  requireRightsOver(principal, [role, ...(known ? [known.role] : [])])
  if (known?.role === 'owner' && role !== 'owner') await requireAnotherOwner(em, known)
  await em.upsert(Member, { workspace_id, user_id, role })
  const entry = { action: 'member.invited', detail: { email, role } } as const
  await recordActivity(em, actorOf(principal), {
    ...entry,
    targetId: user_id,
    workspaceId: workspace_id,
  })
  return requireMember(em, workspace_id, user_id)
}

/** The role of whoever asks for none. */
function roleOf({ role = 'viewer' }: { role?: string | undefined }): Role {
  return role as Role
}
