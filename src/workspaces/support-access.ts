import type { SupportAccessRequest } from '../../gen/daikon/v1/admin_workspaces.ts'
import type { WorkspaceMemberResponse } from '../../gen/daikon/v1/workspaces.ts'
import { actorOf } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import type { Role } from '../core/roles.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { isoTime } from '../database/sql-values.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import type { UserStore } from '../identity/store/user-store.ts'
import { userNotFound } from '../identity/user-errors.ts'
import { removeEndedMembersOf, requireExpirySupport } from './member-expiry.ts'
import { lockWorkspace } from './member-rules.ts'
import { requireMember, toMemberResponse } from './members.ts'
import { reasons } from './reasons.ts'
import type { MemberStore } from './store/member-store.ts'
import type { WorkspaceStore } from './store/workspace-store.ts'

type SupportStores = {
  activity: ActivityStore
  members: MemberStore
  rollout: RolloutStore
  sessions: SessionStore
  users: UserStore
  workspaces: WorkspaceStore
}

/**
 * Makes a user a member of a workspace for a limited time, which its members see with the reason,
 * unless an owner of the workspace has forbidden support access.
 */
export async function giveSupportAccess(
  { stores, principal, now }: WriteContext<SupportStores> & Pick<RequestContext, 'now'>,
  request: SupportAccessRequest,
): Promise<WorkspaceMemberResponse> {
  const role = request.role as Role
  const reason = request.reason.trim()
  const expiresAt = isoTime(new Date(now.getTime() + request.minutes * 60_000))
  return stores.transaction(async (tx) => {
    const workspaceId = await lockWorkspace(tx.workspaces, request.workspace_id)
    const workspace = await tx.workspaces.find(workspaceId)
    if (!workspace?.supportAccess) throw new ServiceError(reasons.SUPPORT_ACCESS_FORBIDDEN)
    const user = await tx.users.find(request.user_id)
    if (!user) throw userNotFound()
    const id = { workspaceId, userId: user.id }
    await removeEndedMembersOf(tx, [workspaceId], now, user.id)
    if (await tx.members.exists(id)) throw alreadyMember()
    await requireExpirySupport(tx.rollout)
    await tx.members.addSupport(id, { role, joinedAt: now, expiresAt, reason })
    await tx.activity.record(actorOf(principal), {
      action: 'member.support_began',
      targetId: user.id,
      workspaceId,
      detail: { email: user.email, role, reason, expires_at: expiresAt },
    })
    return toMemberResponse(await requireMember(tx.members, id), principal)
  })
}

function alreadyMember(): ServiceError {
  const detail = 'The user is already a member of the workspace, or invited to it'
  return new ServiceError(reasons.ALREADY_A_MEMBER, detail)
}
