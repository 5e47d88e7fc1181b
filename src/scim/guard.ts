import type { ScimDeactivations } from '../../gen/daikon/v1/workspaces.ts'
import { ServiceError } from '../core/errors.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import { reasons } from './reasons.ts'
import type { ScimGuard, ScimGuardStore } from './store/scim-guard-store.ts'
import type { ScimUserStore } from './store/scim-user-store.ts'

/** Milliseconds in which a directory may end at most half of the memberships of a workspace. */
const period = 3_600_000

/** A directory may end all memberships of a smaller workspace. */
const minMembers = 10

/** Returns until when a directory may end any number of memberships if an owner lets it now. */
export function endOfConfirmation(now: Date): Date {
  return new Date(now.getTime() + period)
}

/** Returns the memberships that a directory has ended in an hour that has not passed. */
export async function describeDeactivations(
  scimGuards: ScimGuardStore,
  workspaceId: string,
  now: Date,
): Promise<ScimDeactivations | undefined> {
  const guard = await scimGuards.find(workspaceId)
  if (!guard || hasPassed(guard, now) || guard.ended === 0) return undefined
  const { hourBeganAt, members, ended, confirmedUntil } = guard
  const beganAt = isoTime(hourBeganAt)
  const isConfirmed = isConfirmedAt(guard, now)
  return {
    began_at: beganAt,
    ends_at: new Date(Date.parse(beganAt) + period).toISOString(),
    member_count: members,
    ended_count: ended,
    is_held: wouldEndMost(guard) && !isConfirmed,
    ...(confirmedUntil && isConfirmed && { confirmed_until: isoTime(confirmedUntil) }),
  }
}

/**
 * Counts a membership that a directory is about to end. The hour begins with the first one. Throws if
 * more than half of the members of that time would end, unless an owner has confirmed it: the
 * administrator of a directory may have made a mistake.
 */
export async function countEndedMember(
  { scimGuards, scimUsers }: { scimGuards: ScimGuardStore; scimUsers: ScimUserStore },
  workspaceId: string,
  now: Date,
): Promise<void> {
  const guard = await scimGuards.find(workspaceId)
  if (!guard || hasPassed(guard, now)) {
    const members = await scimUsers.countMembers(workspaceId)
    return scimGuards.begin(workspaceId, members, now)
  }
  if (wouldEndMost(guard) && !isConfirmedAt(guard, now)) throw confirmationRequired(workspaceId)
  await scimGuards.increase(workspaceId)
}

function hasPassed({ hourBeganAt }: ScimGuard, now: Date): boolean {
  return timeOf(hourBeganAt) + period <= now.getTime()
}

function isConfirmedAt({ confirmedUntil }: ScimGuard, now: Date): boolean {
  return confirmedUntil !== null && timeOf(confirmedUntil) > now.getTime()
}

/** Whether one more ended membership would be more than half of the members. */
function wouldEndMost({ members, ended }: ScimGuard): boolean {
  return members >= minMembers && (ended + 1) * 2 > members
}

function timeOf(timestamp: Timestamp): number {
  return Date.parse(isoTime(timestamp))
}

function confirmationRequired(workspaceId: string): ServiceError {
  return new ServiceError(
    reasons.CONFIRMATION_REQUIRED,
    `More than half of the members would be deactivated within an hour. An owner of the workspace must confirm it: POST /workspaces/${workspaceId}/scim-confirmation`,
  )
}
