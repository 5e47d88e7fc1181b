import { ServiceError } from '../core/errors.ts'
import { isoTime, type Timestamp } from '../database/sql-values.ts'
import type { ScimGuardStore } from './store/scim-guard-store.ts'
import type { ScimUserStore } from './store/scim-user-store.ts'

/** Milliseconds in which a directory may end at most half of the memberships of a workspace. */
const period = 3_600_000

/** A directory may end all memberships of a smaller workspace. */
const minMembers = 10

/** Returns until when a directory may end any number of memberships if an owner lets it now. */
export function endOfConfirmation(now: Date): Date {
  return new Date(now.getTime() + period)
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
  if (!guard || timeOf(guard.hourBeganAt) + period <= now.getTime()) {
    const members = await scimUsers.countMembers(workspaceId)
    return scimGuards.begin(workspaceId, members, now)
  }
  const { members, ended, confirmedUntil } = guard
  const isConfirmed = confirmedUntil !== null && timeOf(confirmedUntil) > now.getTime()
  const isMost = members >= minMembers && (ended + 1) * 2 > members
  if (isMost && !isConfirmed) throw confirmationRequired(workspaceId)
  await scimGuards.increase(workspaceId)
}

function timeOf(timestamp: Timestamp): number {
  return Date.parse(isoTime(timestamp))
}

function confirmationRequired(workspaceId: string): ServiceError {
  return new ServiceError(
    'already_exists',
    'CONFIRMATION_REQUIRED',
    `More than half of the members would be deactivated within an hour. An owner of the workspace must confirm it: POST /workspaces/${workspaceId}/scim-confirmation`,
  )
}
