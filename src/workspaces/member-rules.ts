import type { EntityManager } from '@mikro-orm/postgresql'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/request-context.ts'
import { atLeast } from '../core/roles.ts'
import { hasOtherActiveOwner, lockWorkspaceRow } from './queries.ts'
import { workspaceNotFound } from './workspaces.ts'

/**
 * Locks a workspace until the end of the transaction, so that concurrent changes to its owners run
 * one after the other. Returns the workspace ID as it is stored.
 */
export async function lockWorkspace(em: EntityManager, workspaceId: string): Promise<string> {
  const row = await lockWorkspaceRow(em, workspaceId)
  if (!row) throw workspaceNotFound()
  return row.id
}

/**
 * Throws unless the principal may manage members with these roles. Managing owners requires an
 * owner; managing other members requires an admin. Administrators of the server may manage every
 * member.
 */
export function requireRoleToManage({ user, admin }: Principal, roles: string[]): void {
  if (admin) return
  const least = roles.includes('owner') ? 'owner' : 'admin'
  if (user?.role && atLeast(user.role, least)) return
  throw new ServiceError('permission_denied', 'ROLE_TOO_LOW', `Requires role ${least} or higher`)
}

/**
 * Throws unless the workspace has another owner who has joined and is active. The caller must hold
 * the lock from `lockWorkspace`.
 */
export async function requireAnotherOwner(
  em: EntityManager,
  { workspace_id, user_id }: { workspace_id: string; user_id: string },
): Promise<void> {
  if (await hasOtherActiveOwner(em, workspace_id, user_id)) return
  throw new ServiceError(
    'already_exists',
    'LAST_OWNER',
    'The last active owner of a workspace cannot leave, be removed or get another role',
  )
}
