import type { Actor } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import type { EndedMember, MemberStore, WorkspaceMember } from './store/member-store.ts'

type SupportMember = Pick<
  WorkspaceMember | EndedMember,
  'userId' | 'workspaceId' | 'email' | 'role' | 'supportReason'
>

/** Returns the event of the end of support access, however it ends. */
export function supportEndEvent({
  userId,
  workspaceId,
  email,
  role,
  supportReason,
}: SupportMember) {
  return {
    action: 'member.support_ended' as const,
    targetId: userId,
    workspaceId,
    detail: { email, role, reason: supportReason ?? '' },
  }
}

/** Ends the support access to a workspace. Requires a transaction. */
export async function endSupportAccess(
  tx: { activity: ActivityStore; members: MemberStore; sessions: SessionStore },
  actor: Actor,
  workspaceId: string,
  now: Date,
): Promise<void> {
  for (const member of await tx.members.lockSupport(workspaceId)) {
    await tx.sessions.end({ userId: member.userId, workspaceId }, now)
    await tx.members.remove(member)
    await tx.activity.record(actor, supportEndEvent(member))
  }
}
