import type { EntityManager } from '@mikro-orm/postgresql'
import type { UserDetail, UserUpdateRequest } from '../../gen/daikon/v1/admin_users.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { changedFields } from '../core/changed-fields.ts'
import { ServiceError } from '../core/errors.ts'
import type { RequestContext, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { User } from '../database/entities/people.ts'
import { inTransaction } from '../database/transaction.ts'
import { denyAdminTokens } from '../identity/queries.ts'
import { signOutEverywhere } from '../identity/sessions.ts'
import { adminRequired, userInactive, userNotFound } from '../identity/user-errors.ts'
import {
  isNameOfAnotherUser,
  type LockedUser,
  lockUserAndAdministrators,
  lockUsers,
} from './queries.ts'
import { requireUserDetail } from './users.ts'

/** The fields that administrators can change. Only operators can make a user an administrator. */
type UserChanges = Partial<Pick<LockedUser, 'name' | 'is_active' | 'external_id'>>

/**
 * Changes the name or `external_id` of a user, or activates or deactivates the user. Deactivation
 * ends all sessions.
 */
export async function updateUser(
  { em, principal, now }: Pick<RequestContext, 'em' | 'principal' | 'now'>,
  { user_id, name, is_active, external_id }: UserUpdateRequest,
): Promise<UserDetail> {
  const externalId = external_id === '' ? null : external_id
  const changes = changedFields({ name: name?.trim(), is_active, external_id: externalId })
  return inTransaction(em, async (em) => {
    const callerId = principal.admin?.id
    const user = await lockUser(em, user_id, callerId)
    if (!changes) return requireUserDetail(em, now, user.id)
    if (user.id === callerId && is_active === false) {
      throw new ServiceError(
        'permission_denied',
        'OWN_ACCOUNT',
        'Administrators cannot deactivate their own account',
      )
    }
    if (externalId && (await isNameOfAnotherUser(em, externalId, user.id))) throw externalIdTaken()
    await em.nativeUpdate(User, { id: user.id }, changes).catch((error) => {
      // Another user was assigned this external ID concurrently.
      throw violates(error, 'unique') ? externalIdTaken() : error
    })
    if (user.is_active && is_active === false) await signOutEverywhere(em, now, user.id)
    for (const action of eventsOf(user, changes)) {
      const detail = { email: user.email }
      await recordActivity(em, actorOf(principal), { action, targetId: user.id, detail })
    }
    return requireUserDetail(em, now, user.id)
  })
}

type Administrator = { email: string; is_admin: boolean }

/**
 * Promotes a user to administrator or demotes one, for the command-line tool. A demotion
 * permanently invalidates the user's existing admin tokens and prevents ADMIN_EMAILS from promoting
 * the user again. The last active administrator cannot be demoted.
 */
export async function setAdministrator(
  { em, principal }: WriteContext,
  { email, is_admin }: Administrator,
): Promise<Administrator> {
  return inTransaction(em, async (em) => {
    // Locking all administrators serializes concurrent demotions.
    const locked = await lockUserAndAdministrators(em, email)
    const user = locked.find((candidate) => candidate.email === email)
    if (!user) throw userNotFound()
    if (user.is_admin === is_admin && user.admin_revoked === !is_admin) return { email, is_admin }
    const hasOtherAdmin = locked.some(
      (other) => other.is_admin && other.is_active && other.id !== user.id,
    )
    if (!is_admin && user.is_admin && user.is_active && !hasOtherAdmin)
      throw lastAdministrator(email)
    await em.nativeUpdate(User, { id: user.id }, { is_admin, admin_revoked: !is_admin })
    if (!is_admin) await denyAdminTokens(em, user.id)
    await recordActivity(em, actorOf(principal), {
      action: is_admin ? 'user.promoted' : 'user.demoted',
      targetId: user.id,
      detail: { email, by: 'operator' },
    })
    return { email, is_admin }
  })
}

/**
 * Locks a user together with the calling administrator, whose permissions are checked under the
 * lock: if two administrators deactivate each other, the second call fails. An operator has no
 * account.
 */
async function lockUser(
  em: EntityManager,
  userId: string,
  callerId: string | undefined,
): Promise<LockedUser> {
  const users = await lockUsers(em, callerId ? [userId, callerId] : [userId])
  const caller = users.find(({ id }) => id === callerId)
  if (callerId && !caller?.is_active) throw userInactive()
  if (callerId && !caller?.is_admin) throw adminRequired()
  const user = users.find(({ id }) => id === userId.toLowerCase())
  if (!user) throw userNotFound()
  return user
}

function externalIdTaken(): ServiceError {
  const detail = 'Another user has this external_id, or has it as their ID or e-mail address'
  return new ServiceError('already_exists', 'EXTERNAL_ID_TAKEN', detail)
}

/** Creates the error for a change that would leave no active administrator. */
export function lastAdministrator(email: string): ServiceError {
  return new ServiceError(
    'already_exists',
    'LAST_ADMINISTRATOR',
    `${email} is the last active administrator. Promote another user first.`,
  )
}

/** Returns the events of the actual changes. */
function eventsOf(before: LockedUser, changes: UserChanges) {
  const after = { ...before, ...changes }
  const events: ('user.updated' | 'user.activated' | 'user.deactivated')[] = []
  if (after.name !== before.name || after.external_id !== before.external_id)
    events.push('user.updated')
  if (after.is_active && !before.is_active) events.push('user.activated')
  if (!after.is_active && before.is_active) events.push('user.deactivated')
  return events
}
