import type { EntityManager } from '@mikro-orm/postgresql'
import type { UserDetail, UserUpdateRequest } from '../../gen/daikon/v1/admin_users.ts'
import { actorOf, recordActivity } from '../activity/record-activity.ts'
import { changedFields } from '../core/changed-fields.ts'
import { ServiceError } from '../core/errors.ts'
import { type RequestContext, requireAdmin, type WriteContext } from '../core/request-context.ts'
import { User } from '../database/entities/people.ts'
import { inTransaction } from '../database/transaction.ts'
import { signOutEverywhere } from '../identity/sessions.ts'
import { adminRequired, userInactive, userNotFound } from '../identity/user-errors.ts'
import { viewUser } from './users.ts'

/** What may be changed of a user; who is an administrator is the operator's to say (specification 5.6). */
type Standing = { name: string; is_active: boolean }

type Held = Standing & { id: string; email: string; is_admin: boolean }

/** Changes a name, activates or deactivates; a deactivated user is signed out everywhere. */
export async function updateUser(
  { em, principal, now }: RequestContext,
  { user_id, name, is_active }: UserUpdateRequest,
): Promise<UserDetail> {
  const changes = changedFields({ name: name?.trim(), is_active })
  return inTransaction(em, async (em) => {
    const callerId = requireAdmin(principal).id
    const user = await hold(em, user_id, callerId)
    if (!changes) return viewUser(em, now, user.id)
    if (user.id === callerId && is_active === false) throw ownAccount()
    await em.nativeUpdate(User, { id: user.id }, changes)
    if (user.is_active && is_active === false) await signOutEverywhere(em, now, user.id)
    for (const action of occurrencesOf(user, changes)) {
      const detail = { email: user.email }
      await recordActivity(em, actorOf(principal), { action, targetId: user.id, detail })
    }
    return viewUser(em, now, user.id)
  })
}

/** Who is an administrator, by e-mail. */
type Administrator = { email: string; is_admin: boolean }

/** Says for the operator who is an administrator; the last active one stays (specification 5.6). */
export async function setAdministrator(
  { em, principal }: WriteContext,
  { email, is_admin }: Administrator,
): Promise<Administrator> {
  return inTransaction(em, async (em) => {
    // With all administrators, so that of two changes at once one sees the other.
    const held = await em.execute<Held[]>(
      `select id, email, name, is_active, is_admin from users
       where email = ? or is_admin and is_active order by id for no key update`,
      [email],
    )
    const user = held.find((one) => one.email === email)
    if (!user) throw userNotFound()
    if (user.is_admin === is_admin) return { email, is_admin }
    const stay = held.some((one) => one.is_admin && one.is_active && one.id !== user.id)
    if (!is_admin && user.is_active && !stay) throw lastAdministrator(email)
    await em.nativeUpdate(User, { id: user.id }, { is_admin })
    const action = is_admin ? 'user.promoted' : 'user.demoted'
    const detail = { email, by: 'operator' }
    await recordActivity(em, actorOf(principal), { action, targetId: user.id, detail })
    return { email, is_admin }
  })
}

/**
 * The user, held until the end of the transaction with the administrator who changes them: of two
 * who end each other at once one sees what the other has done. So one stays, whoever goes.
 */
async function hold(em: EntityManager, userId: string, callerId: string): Promise<Held> {
  const rows = await em.execute<Held[]>(
    `select id, email, name, is_active, is_admin from users
     where id in (?, ?) order by id for no key update`,
    [userId, callerId],
  )
  const principal = rows.find(({ id }) => id === callerId)
  if (!principal?.is_active) throw userInactive()
  if (!principal.is_admin) throw adminRequired()
  const user = rows.find(({ id }) => id === userId.toLowerCase())
  if (!user) throw userNotFound()
  return user
}

function ownAccount(): ServiceError {
  return new ServiceError(
    'permission_denied',
    'OWN_ACCOUNT',
    'An administrator can not deactivate themselves',
  )
}

function lastAdministrator(email: string): ServiceError {
  const detail = `${email} is the last active administrator: promote somebody else first`
  return new ServiceError('already_exists', 'LAST_ADMINISTRATOR', detail)
}

/** What is told of a change; what changes nothing is no occurrence. */
function occurrencesOf(user: Held, changes: Partial<Standing>) {
  const after = { ...user, ...changes }
  const told = {
    'user.updated': after.name !== user.name,
    'user.activated': after.is_active && !user.is_active,
    'user.deactivated': !after.is_active && user.is_active,
  }
  return (Object.keys(told) as (keyof typeof told)[]).filter((action) => told[action])
}
