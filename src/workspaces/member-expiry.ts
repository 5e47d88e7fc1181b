import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { Transactional } from '../core/request-context.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { isoTime } from '../database/sql-values.ts'
import type { SessionStore } from '../identity/store/session-store.ts'
import type { EndedMember, MemberStore } from './store/member-store.ts'
import { supportEndEvent } from './support-end.ts'

/** The maximum number of memberships that one call to `removeEndedMembers` removes. */
export const maxRemovedMembers = 100

/** The migration that lets memberships end. */
const expiryMigration = 32

type Stores = { activity: ActivityStore; members: MemberStore; sessions: SessionStore }

/**
 * Requires that every connected node ends memberships. An older one would let the user in until a
 * newer one has removed the membership.
 */
export async function requireExpirySupport(rollout: RolloutStore): Promise<void> {
  await rollout.requireAllNodesKnow(expiryMigration, 'A membership that ends')
}

/**
 * Removes up to `maxRemovedMembers` memberships that have ended, like `removeMember`, records their
 * end and returns their number. Several nodes can do this concurrently. Decisions and lists ignore
 * a membership from the instant of its end.
 */
export async function removeEndedMembers(
  stores: Transactional<Stores>,
  now: Date,
): Promise<number> {
  return stores.transaction(async (tx) =>
    remove(tx, await tx.members.lockEnded(maxRemovedMembers), now),
  )
}

/**
 * Removes the memberships in some workspaces that have ended, or those of one user in them, so that
 * new ones can take their place. Requires a transaction.
 */
export async function removeEndedMembersOf(
  tx: Stores,
  workspaceIds: string[],
  now: Date,
  userId?: string,
): Promise<void> {
  for (;;) {
    const ended = await tx.members.lockEnded(maxRemovedMembers, workspaceIds, userId)
    if ((await remove(tx, ended, now)) < maxRemovedMembers) return
  }
}

async function remove(tx: Stores, ended: EndedMember[], now: Date): Promise<number> {
  for (const member of ended) {
    const { userId, workspaceId } = member
    await tx.sessions.end({ userId, workspaceId }, now)
    await tx.members.remove(member)
  }
  const isSupport = ({ supportReason }: EndedMember) => supportReason !== null
  const system = { actorId: undefined }
  await tx.activity.record(system, ...ended.filter((member) => !isSupport(member)).map(endEvent))
  await tx.activity.record(system, ...ended.filter(isSupport).map(supportEndEvent))
  return ended.length
}

function endEvent({ userId, workspaceId, email, role, expiresAt }: EndedMember) {
  return {
    action: 'member.expired' as const,
    targetId: userId,
    workspaceId,
    detail: { email, role, expires_at: isoTime(expiresAt) },
  }
}
