import type { DeleteUserRequest, DeleteUserResponse } from '../../gen/daikon/v1/admin_user_data.ts'
import { actorOf } from '../activity/actor.ts'
import { listServices } from '../activity/listed-services.ts'
import { requireMatch } from '../core/entity-tag.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { Principal, RequestContext } from '../core/request-context.ts'
import { createTextPattern } from '../core/text-pattern.ts'
import { type SignOutStores, signOutEverywhere } from '../identity/sessions.ts'
import { adminRequired, userInactive, userNotFound } from '../identity/user-errors.ts'
import { describeCaller } from './describe-caller.ts'
import { countKeptTexts } from './kept-texts.ts'
import type { AdminPorts } from './ports.ts'
import { reasons } from './reasons.ts'
import type { KeptTextStore } from './store/kept-text-store.ts'
import type { PeopleStore } from './store/people-store.ts'
import type { UserDataStore, UserToDelete, WorkspaceToLeave } from './store/user-data-store.ts'
import { requireAnotherAdministrator } from './user-status.ts'
import { createUserTag } from './users.ts'

type DeletionStores = Pick<AdminPorts, 'sentEvents' | 'userDelegations'> & {
  people: PeopleStore
  userData: UserDataStore
}
export type DeletionContext = RequestContext<
  SignOutStores & DeletionStores & { keptTexts: KeptTextStore }
>

/**
 * Deletes a user together with all tokens. Workspaces without other members are deleted, resources
 * in other workspaces are transferred to `transfer_to`, and the user's names are removed from the
 * activity log and from webhook deliveries. Returns the other texts that still contain them.
 *
 * @throws {ServiceError} already_exists if a workspace would lose its last owner, or if the user
 *   owns resources and `transfer_to` is not set, with what is in the way
 */
export async function deleteUser(
  { stores, principal, now }: Pick<DeletionContext, 'stores' | 'principal' | 'now'>,
  { user_id, transfer_to, if_match }: DeleteUserRequest,
): Promise<DeleteUserResponse> {
  const pattern = await stores.transaction(async (tx) => {
    // Workspaces are locked before users, in the same order as for invitations, to prevent
    // deadlocks.
    await tx.userData.lockWorkspaces(user_id)
    const user = await lockUserToDelete(tx, user_id, principal)
    requireMatch(if_match, createUserTag(user))
    const workspaces = await tx.userData.listWorkspacesToLeave(user.id)
    const emptied = workspaces.filter(({ hasOthers }) => !hasOthers).map(({ id }) => id)
    await requireErasable(tx.userData, user.id, workspaces, transfer_to)
    await signOutEverywhere(tx, now, user.id)
    await tx.userDelegations.end(actorOf(principal), user.id)
    const services = listServices(await tx.userData.findServices(user.id))
    const pattern = createTextPattern(await tx.userData.listTexts(user.id, emptied))
    await tx.userData.deleteWorkspaces(emptied)
    const transferred = await transferAllResources(tx.userData, user.id, transfer_to)
    await tx.userData.deleteUser(user.id)
    await tx.activity.redactUser(user.id, emptied, pattern)
    if (pattern !== undefined) await tx.sentEvents.redact(pattern)
    await tx.activity.record(actorOf(principal), {
      action: 'user.erased',
      targetId: user.id,
      detail: {
        by: describeCaller(principal),
        workspaces: String(emptied.length),
        resources: String(transferred),
        services,
      },
    })
    return pattern
  })
  return { kept_elsewhere: await countKeptTexts(stores.keptTexts, pattern) }
}

/** Locks the user and a calling administrator, whose permissions are checked under the lock. */
async function lockUserToDelete(
  { people, userData }: DeletionStores,
  id: string,
  principal: Principal,
): Promise<UserToDelete> {
  const callerId = principal.admin?.id
  if (id === callerId) {
    throw new ServiceError(reasons.OWN_ACCOUNT, 'Administrators cannot delete their own account')
  }
  const locked = await userData.lockUsers(callerId ? [id, callerId] : [id])
  const caller = locked.find((candidate) => candidate.id === callerId)
  if (callerId && !caller?.isActive) throw userInactive()
  if (callerId && !caller?.isAdmin) throw adminRequired()
  const user = locked.find((candidate) => candidate.id === id)
  if (!user) throw userNotFound()
  if (principal.user && user.isAdmin) throw new ServiceError(reasons.OWN_ACCOUNT)
  if (!callerId && user.isAdmin && user.isActive) await requireAnotherAdministrator(people, user)
  return user
}

/** Transfers all resources of a user to `toId`. Returns the number of resources. */
async function transferAllResources(
  userData: UserDataStore,
  fromId: string,
  toId: string | undefined,
): Promise<number> {
  if (toId === fromId) {
    throw invalidArgument({ field: 'transfer_to', message: 'must be another user' })
  }
  const workspaceIds = await userData.findWorkspacesOfResources(fromId)
  if (workspaceIds.length === 0 || !toId) return 0
  if ((await userData.lockMemberships(toId, workspaceIds)) < workspaceIds.length) {
    throw invalidArgument({
      field: 'transfer_to',
      message: `must be a member of ${workspaceIds.join(', ')}`,
    })
  }
  return userData.transferResources(fromId, toId)
}

/** Throws with the workspaces that need another owner, and with the resources that need one. */
async function requireErasable(
  userData: UserDataStore,
  userId: string,
  all: WorkspaceToLeave[],
  transferTo: string | undefined,
): Promise<void> {
  const workspaces = all
    .filter(({ needsOwner }) => needsOwner)
    .map(({ id, slug }) => ({ id, slug }))
  const kept = all.filter(({ hasOthers }) => hasOthers).map(({ id }) => id)
  const services = transferTo === undefined ? await userData.countResources(userId, kept) : []
  if (workspaces.length === 0 && services.length === 0) return
  const obstacles = [
    ...(workspaces.length > 0
      ? [`is the last owner of ${workspaces.map(({ slug }) => slug).join(', ')}`]
      : []),
    ...(services.length > 0
      ? ['owns resources in workspaces with other members, for which transfer_to names no user']
      : []),
  ]
  const detail = `The user ${obstacles.join(', and ')}`
  throw new ServiceError(reasons.ERASURE_BLOCKED, detail, { extensions: { workspaces, services } })
}
