import type { EntityManager } from '@mikro-orm/postgresql'
import { ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/request-context.ts'
import { atLeast } from '../core/roles.ts'
import { Member } from '../database/entities/people.ts'
import { workspaceMissing } from './require-workspace.ts'

/**
 * Holds the workspace until the end of the transaction, so that of two changes to its owners one
 * sees what the other has done; answers its id.
 */
export async function lockOwners(em: EntityManager, workspaceId: string): Promise<string> {
  const sql = 'select id from workspaces where id = ? for no key update'
  const [row] = await em.execute<{ id: string }[]>(sql, [workspaceId])
  if (row) return row.id
  throw workspaceMissing()
}

/** Members are an admin's to manage, owners an owner's; administrators of the server may do either. */
export function requireRightsOver({ user, admin }: Principal, roles: string[]): void {
  if (admin) return
  const least = roles.includes('owner') ? 'owner' : 'admin'
  if (user?.role && atLeast(user.role, least)) return
  throw new ServiceError(
    'permission_denied',
    'ROLE_TOO_LOW',
    `The role ${least} is needed at least`,
  )
}

/** A workspace keeps an owner; the principal holds it by `lockOwners`. */
export async function requireAnotherOwner(
  em: EntityManager,
  { workspace_id, user_id }: { workspace_id: string; user_id: string },
): Promise<void> {
  const others = { workspace_id, role: 'owner', user_id: { $ne: user_id } } as const
  // An invitation may never be answered.
  if (await em.count(Member, { ...others, joined_at: { $ne: null } })) return
  throw new ServiceError(
    'already_exists',
    'LAST_OWNER',
    'The last owner can neither leave nor be replaced',
  )
}
