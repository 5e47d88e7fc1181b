import type { ActivityEvent } from '../activity/store/entries-sql.ts'
import { ServiceError } from '../core/errors.ts'
import { reasons as coreReasons } from '../core/reasons.ts'
import { isAdministrative, type Principal } from '../core/request-context.ts'
import { atLeast } from '../core/roles.ts'
import { violates } from '../database/database-errors.ts'
import { reasons } from './reasons.ts'
import type { MemberId, MemberStore } from './store/member-store.ts'
import type { WorkspaceStore } from './store/workspace-store.ts'
import { workspaceNotFound } from './workspaces.ts'

/**
 * Locks a workspace until the end of the transaction, so that concurrent changes to its owners run
 * one after the other. Returns the workspace ID as it is stored.
 */
export async function lockWorkspace(
  workspaces: WorkspaceStore,
  workspaceId: string,
): Promise<string> {
  const id = await workspaces.lock(workspaceId)
  if (id === undefined) throw workspaceNotFound()
  return id
}

/**
 * Throws unless the principal may manage members with these roles. Managing owners requires an
 * owner; managing other members requires an admin. Administrators and operators of the server
 * may manage every member.
 */
export function requireRoleToManage(principal: Principal, roles: string[]): void {
  if (isAdministrative(principal) || principal.isOperator) return
  const least = roles.includes('owner') ? 'owner' : 'admin'
  if (principal.user && atLeast(principal.user.role, least)) return
  throw new ServiceError(coreReasons.ROLE_TOO_LOW, `Requires the role ${least} or higher`)
}

/** Whether the principal may invite people, at least with roles below `owner`. */
export function mayInvite(principal: Principal): boolean {
  if (isAdministrative(principal) || principal.isOperator) return true
  return principal.user !== undefined && atLeast(principal.user.role, 'admin')
}

/**
 * Throws unless the workspace has another owner who has joined, is active and stays. The caller must
 * hold the lock from `lockWorkspace`.
 */
export async function requireAnotherOwner(members: MemberStore, owner: MemberId): Promise<void> {
  if (await members.hasOtherActiveOwner(owner)) return
  throw new ServiceError(
    reasons.LAST_OWNER,
    'The last active owner of a workspace cannot leave, be removed, get another role or have an end of membership',
  )
}

/**
 * Returns `memberNotFound` for a violated foreign key, which ensures that only members of a
 * workspace can be in its groups and have its roles. Returns any other error unchanged.
 */
export function memberNotFoundOr(error: unknown): unknown {
  return violates(error, 'foreign') ? memberNotFound() : error
}

export function memberNotFound(): ServiceError {
  return new ServiceError(reasons.MEMBER_NOT_FOUND)
}

/** Returns the entry of the activity log for a changed role. */
export function createRoleEvent(
  { userId: targetId, workspaceId }: MemberId,
  from: string,
  to: string,
): ActivityEvent<'member.role_changed'> {
  return { action: 'member.role_changed', targetId, workspaceId, detail: { from, to } }
}
