import type { AddUserToWorkspaceRequest } from '../../gen/daikon/v1/admin_users.ts'
import type {
  InviteMemberRequest,
  WorkspaceMemberResponse,
} from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { normalizeEmail } from '../core/email.ts'
import { ServiceError } from '../core/errors.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { Role } from '../core/roles.ts'
import { Member, User } from '../database/entities/people.ts'
import { inTransaction } from '../database/transaction.ts'
import { userNotFound } from '../identity/user-errors.ts'
import { ensureUser } from '../identity/users.ts'
import { lockWorkspace, requireAnotherOwner, requireRoleToManage } from './member-rules.ts'
import { findMember, requireMember } from './members.ts'
import { requireWorkspaceQuota } from './quotas.ts'

type Invitation = { user_id: string; email: string; role: Role }

/** Invites an e-mail address. The response does not reveal whether it belongs to a user. */
export async function inviteMember(
  { em, principal, quotas }: RequestContext & QuotaContext,
  request: InviteMemberRequest,
): Promise<WorkspaceMemberResponse> {
  // The field rules have already rejected invalid e-mail addresses.
  const email = normalizeEmail(request.email) as string
  return inTransaction(em, async (em) => {
    const workspaceId = await lockWorkspace(em, request.workspace_id)
    const user_id = await ensureUser(em, email)
    const invitation = { user_id, email, role: roleOf(request) }
    return createInvitation({ em, principal, quotas }, workspaceId, invitation)
  })
}

/** Invites an existing user. */
export async function addUserToWorkspace(
  { em, principal, quotas }: RequestContext & QuotaContext,
  request: AddUserToWorkspaceRequest,
): Promise<WorkspaceMemberResponse> {
  return inTransaction(em, async (em) => {
    const workspaceId = await lockWorkspace(em, request.workspace_id)
    const user = await em.findOne(User, { id: request.user_id })
    if (!user) throw userNotFound()
    const invitation = { user_id: user.id, email: user.email, role: roleOf(request) }
    return createInvitation({ em, principal, quotas }, workspaceId, invitation)
  })
}

/** Creates a pending membership, or changes the role of an existing one. */
async function createInvitation(
  { em, principal, quotas }: WriteContext & QuotaContext,
  workspace_id: string,
  { user_id, email, role }: Invitation,
): Promise<WorkspaceMemberResponse> {
  const member = await findMember(em, workspace_id, user_id)
  if (member?.status === 'active') {
    throw new ServiceError(
      'already_exists',
      'ALREADY_A_MEMBER',
      'The user is already a member of the workspace',
    )
  }
  requireRoleToManage(principal, member ? [role, member.role] : [role])
  if (member?.role === 'owner' && role !== 'owner') await requireAnotherOwner(em, member)
  if (!member) {
    await requireWorkspaceQuota(
      em,
      quotas,
      workspace_id,
      'MAX_MEMBERS_PER_WORKSPACE',
      'MAX_PENDING_INVITATIONS_PER_WORKSPACE',
    )
  }
  await em.upsert(Member, { workspace_id, user_id, role })
  await recordActivity(em, actorOf(principal), {
    action: 'member.invited',
    targetId: user_id,
    workspaceId: workspace_id,
    detail: { email, role },
  })
  return requireMember(em, workspace_id, user_id)
}

function roleOf({ role = 'viewer' }: { role?: string | undefined }): Role {
  return role as Role
}
