import type { Actor } from '../activity/actor.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { invalidArgument } from '../core/errors.ts'
import type { Role } from '../core/roles.ts'
import type { RolloutStore } from '../database/rollout-store.ts'
import { createRoleEvent } from './member-rules.ts'
import type { MemberId, WorkspaceMember } from './store/member-store.ts'

/** The migration that lets members be guests. */
const guestMigration = 83

/** The role of a member, and whether they are a guest, whose role is always viewer. */
export type Standing = { role: Role; isGuest: boolean }

/**
 * Requires that every connected node knows guests. An older one would show them what members see.
 * `what` cannot be written yet.
 */
export async function requireGuestSupport(rollout: RolloutStore, what = 'A guest'): Promise<void> {
  await rollout.requireAllNodesKnow(guestMigration, what)
}

/**
 * Returns the standing that a change gives. A member who becomes a guest without a role becomes a
 * viewer.
 *
 * @throws ServiceError `invalid_argument` for a guest with another role than viewer
 */
export function changeStanding(
  before: Standing,
  change: { role: Role | undefined; guest: boolean | undefined },
): Standing {
  const isGuest = change.guest ?? before.isGuest
  const role = change.role ?? (isGuest ? 'viewer' : before.role)
  if (!isGuest || role === 'viewer') return { role, isGuest }
  throw invalidArgument({
    field: 'role',
    message: change.guest
      ? 'must be viewer for a guest'
      : 'must be viewer, because the member is a guest. Send guest: false, too.',
  })
}

/** @throws ServiceError `invalid_argument` for members who are never guests */
export function requireNoGuest({ kind, supportReason }: WorkspaceMember): void {
  if (kind === 'user' && supportReason === null) return
  const who = kind === 'user' ? 'support access' : 'service accounts'
  throw invalidArgument({ field: 'guest', message: `must be false for ${who}` })
}

/** Records changed standings: of each member, whether the role changed, and who is a guest. */
export async function recordStandings(
  activity: ActivityStore,
  actor: Actor,
  ...changes: { before: MemberId & Standing; after: Standing }[]
): Promise<void> {
  const ofRoles = changes.filter(({ before, after }) => after.role !== before.role)
  const ofGuests = changes.filter(({ before, after }) => after.isGuest !== before.isGuest)
  await activity.record(
    actor,
    ...ofRoles.map(({ before, after }) => createRoleEvent(before, before.role, after.role)),
  )
  await activity.record(
    actor,
    ...ofGuests.map(({ before: { userId: targetId, workspaceId }, after }) => ({
      action: 'member.updated' as const,
      targetId,
      workspaceId,
      detail: { guest: String(after.isGuest) },
    })),
  )
}
