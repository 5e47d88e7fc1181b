import type { EntityManager } from '@mikro-orm/postgresql'
import type { DeleteUserRequest, DeleteUserResponse } from '../../gen/daikon/v1/admin_user_data.ts'
import { redactUserEntries } from '../activity/queries.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { RequestContext } from '../core/request-context.ts'
import { User, Workspace } from '../database/entities/people.ts'
import { inTransaction } from '../database/transaction.ts'
import { signOutEverywhere } from '../identity/sessions.ts'
import { adminRequired, userInactive, userNotFound } from '../identity/user-errors.ts'
import { lockUserAndAdministrators } from './queries.ts'
import {
  findWorkspacesOfResources,
  findWorkspacesToLeave,
  lockMemberships,
  lockUsersForDeletion,
  lockWorkspacesOfUser,
  transferResources,
} from './user-data-queries.ts'
import { lastAdministrator } from './user-status.ts'

/**
 * Deletes a user together with all tokens. Workspaces without other members are deleted, resources
 * in other workspaces are transferred to `transfer_to`, and the user's name and e-mail address are
 * removed from the activity log.
 *
 * @throws {ServiceError} already_exists if a workspace would lose its last owner, or if the user
 *   owns resources and `transfer_to` is not set
 */
export async function deleteUser(
  { em, principal, now }: Pick<RequestContext, 'em' | 'principal' | 'now'>,
  { user_id, transfer_to }: DeleteUserRequest,
): Promise<DeleteUserResponse> {
  const callerId = principal.admin?.id
  return inTransaction(em, async (em) => {
    // Workspaces are locked before users, in the same order as for invitations, to prevent
    // deadlocks.
    await lockWorkspacesOfUser(em, user_id)
    const user = await lockUserToDelete(em, user_id, callerId)
    const workspaces = await findWorkspacesToLeave(em, user.id)
    const ownerless = workspaces.filter(({ needsOwner }) => needsOwner)
    if (ownerless.length > 0) throw lastOwner(ownerless.map(({ slug }) => slug))
    await signOutEverywhere(em, now, user.id)
    const emptied = workspaces.filter(({ hasOthers }) => !hasOthers).map(({ id }) => id)
    await em.nativeDelete(Workspace, { id: { $in: emptied } })
    const transferred = await transferAllResources(em, user.id, transfer_to)
    await em.nativeDelete(User, { id: user.id })
    await redactUserEntries(em, user.id, emptied)
    await recordActivity(em, actorOf(principal), {
      action: 'user.erased',
      targetId: user.id,
      detail: {
        by: principal.admin ? 'administrator' : 'operator',
        workspaces: String(emptied.length),
        resources: String(transferred),
      },
    })
    return {}
  })
}

/** Locks the user and the calling administrator, whose permissions are checked under the lock. */
async function lockUserToDelete(em: EntityManager, userId: string, callerId: string | undefined) {
  const id = userId.toLowerCase()
  if (id === callerId) {
    throw new ServiceError(
      'permission_denied',
      'OWN_ACCOUNT',
      'Administrators cannot delete their own account',
    )
  }
  const locked = await lockUsersForDeletion(em, callerId ? [id, callerId] : [id])
  const caller = locked.find((candidate) => candidate.id === callerId)
  if (callerId && !caller?.is_active) throw userInactive()
  if (callerId && !caller?.is_admin) throw adminRequired()
  const user = locked.find((candidate) => candidate.id === id)
  if (!user) throw userNotFound()
  if (!callerId && user.is_admin && user.is_active) await requireAnotherAdministrator(em, user)
  return user
}

async function requireAnotherAdministrator(
  em: EntityManager,
  { id, email }: { id: string; email: string },
): Promise<void> {
  const locked = await lockUserAndAdministrators(em, email)
  if (locked.every((candidate) => candidate.id === id)) throw lastAdministrator(email)
}

async function transferAllResources(
  em: EntityManager,
  fromId: string,
  transferTo: string | undefined,
): Promise<number> {
  const toId = transferTo?.toLowerCase()
  if (toId === fromId) {
    throw invalidArgument({ field: 'transfer_to', message: 'must be another user' })
  }
  const workspaceIds = await findWorkspacesOfResources(em, fromId)
  if (workspaceIds.length === 0) return 0
  if (!toId) {
    throw new ServiceError(
      'already_exists',
      'OWNS_RESOURCES',
      'The user owns resources in workspaces with other members. Name a user in transfer_to.',
    )
  }
  if ((await lockMemberships(em, toId, workspaceIds)) < workspaceIds.length) {
    throw invalidArgument({
      field: 'transfer_to',
      message: `must be a member of ${workspaceIds.join(', ')}`,
    })
  }
  return transferResources(em, fromId, toId)
}

function lastOwner(slugs: string[]): ServiceError {
  return new ServiceError(
    'already_exists',
    'LAST_OWNER',
    `The user is the last owner of ${slugs.join(', ')}. Make another member an owner first.`,
  )
}
