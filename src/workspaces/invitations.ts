import type { AddUserToWorkspaceRequest } from '../../gen/daikon/v1/admin_users.ts'
import type {
  InviteMemberRequest,
  WorkspaceMemberResponse,
} from '../../gen/daikon/v1/workspaces.ts'
import { actorOf, userIdOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { normalizeEmail } from '../core/email.ts'
import { ServiceError } from '../core/errors.ts'
import { noExpiry, readExpiry } from '../core/expiry.ts'
import type { QuotaContext } from '../core/quotas.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { Role } from '../core/roles.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import type { UserStore } from '../identity/store/user-store.ts'
import { userNotFound } from '../identity/user-errors.ts'
import { changeStanding, requireGuestSupport, type Standing } from './guests.ts'
import { type InvitationContext, renewLink } from './invitation-links.ts'
import { removeEndedMembersOf, requireExpirySupport } from './member-expiry.ts'
import { lockWorkspace, requireAnotherOwner, requireRoleToManage } from './member-rules.ts'
import { requireMember, toMemberResponse } from './members.ts'
import { requireWorkspaceQuota } from './quotas.ts'
import { reasons } from './reasons.ts'
import type { InvitationStore } from './store/invitation-store.ts'
import type { MemberId, MemberStore } from './store/member-store.ts'
import type { WorkspaceStore } from './store/workspace-store.ts'

type InvitationStores = {
  invitations: InvitationStore
  members: MemberStore
  rollout: RolloutStore
  users: UserStore
  workspaces: WorkspaceStore
  activity: ActivityStore
  sessions: SessionStore
}

export type InviteContext = WriteContext<InvitationStores> &
  Pick<RequestContext, 'now'> &
  QuotaContext &
  InvitationContext

type CreationContext = Omit<InviteContext, 'stores'> & { tx: InvitationStores }

/** An invitation that has been created, with the URL of its link. */
type NewInvitation = { id: MemberId; url: string | undefined }

type Invitation = MemberId & Standing & { email: string; expiresAt: string | undefined }

/** Invites an e-mail address. The response does not reveal whether it belongs to a user. */
export async function inviteMember(
  { stores, ...context }: InviteContext,
  request: InviteMemberRequest,
): Promise<WorkspaceMemberResponse> {
  // The field rules have already rejected invalid e-mail addresses.
  const email = normalizeEmail(request.email) as string
  const expiresAt = readExpiry(request.expires_at, context.now)
  const standing = standingOf(request)
  return stores.transaction(async (tx) => {
    const workspaceId = await lockWorkspace(tx.workspaces, request.workspace_id)
    const userId = await tx.users.ensure(email)
    const invitation = { workspaceId, userId, email, ...standing, expiresAt }
    return describeInvitation(
      { tx, ...context },
      await createInvitation({ tx, ...context }, invitation),
    )
  })
}

/** Invites an existing user. */
export async function addUserToWorkspace(
  { stores, ...context }: InviteContext,
  request: AddUserToWorkspaceRequest,
): Promise<WorkspaceMemberResponse> {
  return stores.transaction(async (tx) =>
    describeInvitation({ tx, ...context }, await inviteUser({ tx, ...context }, request)),
  )
}

/** Invites an existing user in a transaction, without reading the membership for a response. */
export async function inviteUser(
  context: CreationContext,
  { workspace_id, user_id, expires_at, ...request }: AddUserToWorkspaceRequest,
): Promise<NewInvitation> {
  const expiresAt = readExpiry(expires_at, context.now)
  const { workspaces, users } = context.tx
  const workspaceId = await lockWorkspace(workspaces, workspace_id)
  const user = await users.find(user_id)
  if (!user) throw userNotFound()
  const { id: userId, email } = user
  const invitation = { workspaceId, userId, email, ...standingOf(request), expiresAt }
  return createInvitation(context, invitation)
}

/** Creates a pending membership, or replaces what an existing one gives, and its link. */
async function createInvitation(
  { tx, principal, quotas, now, invitations }: CreationContext,
  { email, role, isGuest, expiresAt, ...id }: Invitation,
): Promise<NewInvitation> {
  await removeEndedMembersOf(tx, [id.workspaceId], now, id.userId)
  const member = await tx.members.find(id)
  if (member && member.joinedAt !== null) {
    throw new ServiceError(reasons.ALREADY_A_MEMBER)
  }
  requireRoleToManage(principal, member ? [role, member.role] : [role])
  if (member?.role === 'owner' && role !== 'owner') await requireAnotherOwner(tx.members, member)
  const { workspaceId, userId } = id
  if (!member) {
    await requireWorkspaceQuota(
      tx.workspaces,
      quotas,
      workspaceId,
      'MAX_MEMBERS_PER_WORKSPACE',
      'MAX_PENDING_INVITATIONS_PER_WORKSPACE',
    )
  }
  if (expiresAt) await requireExpirySupport(tx.rollout)
  if (isGuest) await requireGuestSupport(tx.rollout)
  await tx.members.invite(id, { role, isGuest, expiresAt, invitedBy: userIdOf(actorOf(principal)) })
  await tx.activity.record(actorOf(principal), {
    action: 'member.invited',
    targetId: userId,
    workspaceId,
    detail: { email, role, expires_at: expiresAt ?? noExpiry, guest: String(isGuest) },
  })
  return { id, url: await renewLink(tx, invitations, id, now) }
}

async function describeInvitation(
  { tx, principal }: CreationContext,
  { id, url }: NewInvitation,
): Promise<WorkspaceMemberResponse> {
  const member = await requireMember(tx.members, id)
  return { ...toMemberResponse(member, principal), invitation_url: url }
}

function standingOf({ role, guest }: { role?: string | undefined; guest?: boolean | undefined }) {
  return changeStanding(
    { role: 'viewer', isGuest: false },
    { role: role as Role | undefined, guest },
  )
}
