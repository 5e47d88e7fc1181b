import type { EntityManager } from '@mikro-orm/postgresql'
import { ServiceError } from '../core/errors.ts'
import { Member } from '../database/entities/people.ts'
import type { Claims } from './claims.ts'

/** Marks an invited member as joined when the user obtains tokens for the workspace. */
export async function joinWorkspace(
  em: EntityManager,
  now: Date,
  { sub, wid }: Claims['access'],
): Promise<void> {
  const invited = { user_id: sub, workspace_id: wid, joined_at: null }
  await em.nativeUpdate(Member, invited, { joined_at: now })
}

/**
 * Creates the error for a workspace that the owner of a code or refresh token is not a member of.
 */
export function notAMember(): ServiceError {
  return new ServiceError('permission_denied', 'NOT_A_MEMBER', 'Not a member of this workspace')
}
