import type {
  DeleteResponse,
  ListMembersRequest,
  ListMembersResponse,
  RemoveMemberRequest,
  UpdateMemberRequest,
  WorkspaceMemberResponse,
} from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { changedFields } from '../core/changed-fields.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import { noExpiry, readExpiry } from '../core/expiry.ts'
import {
  isAdministrative,
  type Principal,
  type RequestContext,
  type WriteContext,
} from '../core/request-context.ts'
import type { Role } from '../core/roles.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { isoTime } from '../database/sql-values.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import { changeStanding, recordStandings, requireGuestSupport, requireNoGuest } from './guests.ts'
import { requireExpirySupport } from './member-expiry.ts'
import {
  lockWorkspace,
  mayInvite,
  memberNotFound,
  requireAnotherOwner,
  requireRoleToManage,
} from './member-rules.ts'
import { listOrPage } from './named-objects.ts'
import { reasons } from './reasons.ts'
import type { MemberId, MemberStore, WorkspaceMember } from './store/member-store.ts'
import type { WorkspaceStore } from './store/workspace-store.ts'
import { supportEndEvent } from './support-end.ts'
import { requireWorkspaceExists } from './workspaces.ts'

type MembershipStores = { members: MemberStore; workspaces: WorkspaceStore }

export type MemberUpdateStores = MembershipStores & {
  activity: ActivityStore
  rollout: RolloutStore
}

export type MemberRemovalStores = MembershipStores & {
  activity: ActivityStore
  sessions: SessionStore
}

/** Lists members and invited users: a page, or without `page` the first ones by user ID. */
export async function listMembers(
  { stores, principal }: WriteContext<MembershipStores>,
  { workspace_id, limit = 50, page, page_size, q, role, guest }: ListMembersRequest,
): Promise<ListMembersResponse> {
  const filter = { q, role, guest, showsInvited: isAdministrative(principal) }
  const toResponse = (member: WorkspaceMember) => toMemberResponse(member, principal)
  const { items, ...total } = await listOrPage(
    { page, page_size },
    () => stores.members.list(workspace_id, filter, limit),
    (page) => stores.members.listPage(workspace_id, filter, page),
  )
  if (items.length === 0) await requireWorkspaceExists(stores.workspaces, workspace_id)
  return { members: items.map(toResponse), ...total }
}

/** Changes the role of a member, whether they are a guest, and the end of the membership. */
export async function updateMember(
  { stores, principal, now }: WriteContext<MemberUpdateStores> & Pick<RequestContext, 'now'>,
  request: UpdateMemberRequest,
): Promise<WorkspaceMemberResponse> {
  if (request.expires_at && request.never_expires)
    throw invalidArgument({
      field: 'never_expires',
      message: 'must not be combined with expires_at',
    })
  const newEnd = request.never_expires ? null : readExpiry(request.expires_at, now)
  return stores.transaction(async (tx) => {
    const workspaceId = await lockWorkspace(tx.workspaces, request.workspace_id)
    const member = await requireMember(tx.members, { workspaceId, userId: request.user_id })
    if (request.guest) requireNoGuest(member)
    requirePerson(member)
    if (member.supportReason !== null) throw supportUnchangeable()
    const { role, isGuest } = changeStanding(member, {
      role: request.role === '' ? undefined : (request.role as Role),
      guest: request.guest,
    })
    requireRoleToManage(principal, [member.role, role])
    const before = member.expiresAt && isoTime(member.expiresAt)
    const expiresAt = newEnd === undefined ? before : newEnd
    const changes = changedFields({ role, isGuest, expiresAt }, { ...member, expiresAt: before })
    if (!changes) return toMemberResponse(member, principal)
    if (changes.expiresAt) await requireExpirySupport(tx.rollout)
    if (changes.isGuest) await requireGuestSupport(tx.rollout)
    const stays = role === 'owner' && (expiresAt === null || before !== null)
    if (member.role === 'owner' && !stays) await requireAnotherOwner(tx.members, member)
    await tx.members.update(member, changes)
    const changedEnd = {
      targetId: member.userId,
      workspaceId,
      action: 'member.expiry_changed' as const,
      detail: { from: before ?? noExpiry, to: expiresAt ?? noExpiry },
    }
    const actor = actorOf(principal)
    await recordStandings(tx.activity, actor, { before: member, after: { role, isGuest } })
    await tx.activity.record(actor, ...('expiresAt' in changes ? [changedEnd] : []))
    return toMemberResponse({ ...member, role, isGuest, expiresAt }, principal)
  })
}

/**
 * Removes a member, together with their group memberships, custom roles, shares and sessions in the
 * workspace. Every member may leave.
 */
export async function removeMember(
  { stores, principal, now }: WriteContext<MemberRemovalStores> & Pick<RequestContext, 'now'>,
  request: RemoveMemberRequest,
): Promise<DeleteResponse> {
  return stores.transaction(async (tx) => {
    const workspaceId = await lockWorkspace(tx.workspaces, request.workspace_id)
    const isLeaving = principal.user?.id === request.user_id
    if (!isLeaving) requireRoleToManage(principal, [])
    const member = await requireMember(tx.members, { workspaceId, userId: request.user_id })
    requirePerson(member)
    if (!isLeaving) requireRoleToManage(principal, [member.role])
    if (member.role === 'owner') await requireAnotherOwner(tx.members, member)
    const { userId, email, role } = member
    // A concurrent code exchange either commits before this lock, so that its session is ended
    // below, or fails.
    await tx.members.lock(member)
    await tx.sessions.end({ userId, workspaceId }, now)
    await tx.members.remove(member)
    if (member.supportReason !== null) {
      await tx.activity.record(actorOf(principal), supportEndEvent(member))
      return {}
    }
    await tx.activity.record(actorOf(principal), {
      action: 'member.removed',
      targetId: userId,
      workspaceId,
      detail: { email, role },
    })
    return {}
  })
}

export async function requireMember(members: MemberStore, id: MemberId): Promise<WorkspaceMember> {
  const member = await members.find(id)
  if (!member) throw memberNotFound()
  return member
}

function supportUnchangeable(): ServiceError {
  return new ServiceError(
    reasons.SUPPORT_ACCESS,
    'The membership is support access, which ends by itself. Remove the member to end it now.',
  )
}

/** Throws if a member is a service account, which is managed by its own methods. */
function requirePerson({ kind }: WorkspaceMember): void {
  if (kind === 'user') return
  throw new ServiceError(reasons.SERVICE_ACCOUNT)
}

/**
 * Hides the profile of an invited user, except for the e-mail address, from other members. Those who may
 * invite see whether the e-mail of the invitation was refused.
 */
export function toMemberResponse(
  member: WorkspaceMember,
  principal: Principal,
): WorkspaceMemberResponse {
  const { userId, workspaceId, kind, email, name, avatarUrl, role, joinedAt, expiresAt } = member
  const { emailRefusal, isGuest: guest } = member
  const end = expiresAt !== null && { expires_at: isoTime(expiresAt) }
  const support = member.supportReason !== null
  const id = { user_id: userId, workspace_id: workspaceId }
  const membership = { ...id, kind, email, role, guest, support, ...end }
  const profile = { name, avatar_url: avatarUrl }
  if (joinedAt === null) {
    const shown = isAdministrative(principal) ? profile : { name: '', avatar_url: '' }
    const isRefusalShown = emailRefusal !== null && mayInvite(principal)
    const refusal = isRefusalShown && { email_refusal: emailRefusal }
    return { ...membership, ...shown, ...refusal, status: 'invited' }
  }
  return { ...membership, ...profile, status: 'active', joined_at: isoTime(joinedAt) }
}
