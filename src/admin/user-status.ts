import type {
  SetAdministratorRequest,
  UserDetail,
  UserUpdateRequest,
} from '../../gen/daikon/v1/admin_users.ts'
import { actorOf } from '../activity/actor.ts'
import { changedFields } from '../core/changed-fields.ts'
import { requireMatch } from '../core/entity-tag.ts'
import { ServiceError } from '../core/errors.ts'
import type { Principal, RequestContext, WriteContext } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import type { IdentityDependencies } from '../identity/identity-dependencies.ts'
import { type SignOutStores, signOutEverywhere } from '../identity/sessions.ts'
import type { AccountStore } from '../identity/store/account-store.ts'
import { adminRequired, userInactive, userNotFound } from '../identity/user-errors.ts'
import { correctAddress, renderCorrectionMails } from './correct-address.ts'
import { reasons } from './reasons.ts'
import type { LockedPerson, PeopleStore } from './store/people-store.ts'
import { createUserTag, requireUserDetail, type UserDetailStores } from './users.ts'

type StatusStores = SignOutStores & { accounts: AccountStore; people: PeopleStore }

export type UpdateContext = Pick<
  RequestContext<StatusStores & UserDetailStores>,
  'stores' | 'principal' | 'now'
> & {
  /** Absent on the command line, which sends no e-mails. */
  identity?: Pick<IdentityDependencies, 'sendMail'> & { settings: { BASE_URL: string } }
}

/** The fields that administrators can change. */
type UserChanges = Partial<Pick<LockedPerson, 'name' | 'isActive' | 'externalId'>>

/**
 * Changes the name, `external_id` or address of a user, or activates or deactivates the user.
 * Deactivation ends all sessions.
 */
export async function updateUser(
  { stores, principal, now, identity }: UpdateContext,
  request: UserUpdateRequest,
): Promise<UserDetail> {
  const { before, after } = await stores.transaction(async (tx) => {
    const { id, email } = await changeUser(tx, { principal, now }, request)
    return { before: email, after: await requireUserDetail(tx, now, id) }
  })
  if (after.email !== before && identity) {
    const mails = renderCorrectionMails(before, after.email, identity.settings.BASE_URL)
    for (const mail of mails) identity.sendMail(mail)
  }
  return after
}

/** Changes a user in a transaction, without telling them, and returns the user as before. */
export async function changeUser(
  tx: StatusStores,
  { principal, now }: Pick<UpdateContext, 'principal' | 'now'>,
  { user_id, name, is_active, external_id, if_match, ...correction }: UserUpdateRequest,
): Promise<LockedPerson> {
  const externalId = external_id === '' ? null : external_id
  const email = correction.email?.trim().toLowerCase()
  const changes = changedFields({ name: name?.trim(), isActive: is_active, externalId })
  const user = await lockUser(tx.people, user_id, principal.admin?.id)
  requireMatch(if_match, createUserTag(user))
  if (email !== undefined && email !== user.email) {
    const { reason, keep_sign_in: keepsSignIn = false } = correction
    await correctAddress(tx, principal, now, user, { email, reason: reason?.trim(), keepsSignIn })
  }
  if (changes) await changeFields(tx, { principal, now }, user, changes)
  return user
}

/** Changes the other fields of a locked user, and records what has changed. */
async function changeFields(
  tx: StatusStores,
  { principal, now }: Pick<UpdateContext, 'principal' | 'now'>,
  user: LockedPerson,
  changes: UserChanges,
): Promise<void> {
  const isDeactivated = changes.isActive === false
  if (isDeactivated && user.id === principal.admin?.id) {
    throw new ServiceError(
      reasons.OWN_ACCOUNT,
      'Administrators cannot deactivate their own account',
    )
  }
  const isLocked = isDeactivated && user.isActive && user.isAdmin
  if (isLocked && principal.managementApp) await requireAnotherAdministrator(tx.people, user)
  await tx.people.update(user.id, changes).catch((error) => {
    throw violates(error, 'unique') ? new ServiceError(reasons.EXTERNAL_ID_TAKEN) : error
  })
  if (user.isActive && isDeactivated) await signOutEverywhere(tx, now, user.id)
  for (const action of eventsOf(user, changes)) {
    const detail = { email: user.email }
    await tx.activity.record(actorOf(principal), { action, targetId: user.id, detail })
  }
}

/** Makes a user an administrator, or revokes these rights. */
export async function setAdministrator(
  {
    stores,
    principal,
    now,
  }: Pick<RequestContext<StatusStores & UserDetailStores>, 'stores' | 'principal' | 'now'>,
  { user_id, is_admin }: SetAdministratorRequest,
): Promise<UserDetail> {
  return stores.transaction(async (tx) => {
    const callerId = principal.admin?.id
    const locked = await tx.people.lockWithAdministrators({ id: user_id })
    const user = findLocked(locked, user_id, callerId)
    if (user.id === callerId && !is_admin) {
      throw new ServiceError(reasons.OWN_ACCOUNT, 'Administrators cannot demote themselves')
    }
    await changeAdministrator(tx, principal, { locked, user, is_admin, by: 'console' })
    return requireUserDetail(tx, now, user.id)
  })
}

type Administrator = { email: string; is_admin: boolean }

/**
 * Promotes or demotes the user with an address, for the command-line tool. With `create`, an unknown
 * address becomes a user, whom the first sign-in with that verified address claims.
 */
export async function setAdministratorByEmail(
  { stores, principal }: WriteContext<StatusStores>,
  { email, is_admin, create = false }: Administrator & { create?: boolean },
): Promise<Administrator> {
  return stores.transaction(async (tx) => {
    if (create) await tx.users.ensure(email)
    const locked = await tx.people.lockWithAdministrators({ email })
    const user = locked.find((candidate) => candidate.email === email)
    if (!user) throw userNotFound()
    await changeAdministrator(tx, principal, { locked, user, is_admin, by: 'operator' })
    return { email, is_admin }
  })
}

type AdministratorChange = {
  /** The user and all active administrators, whose lock serializes concurrent demotions. */
  locked: LockedPerson[]
  user: LockedPerson
  is_admin: boolean
  by: 'console' | 'operator'
}

/**
 * Promotes a user to administrator or demotes one. A demotion permanently invalidates the user's
 * existing admin tokens and prevents ADMIN_EMAILS from promoting the user again. The last active
 * administrator cannot be demoted.
 */
async function changeAdministrator(
  tx: StatusStores,
  principal: Principal,
  { locked, user, is_admin, by }: AdministratorChange,
): Promise<void> {
  const { id, email } = user
  if (user.isAdmin === is_admin && user.adminRevoked === !is_admin) return
  if (!is_admin && user.isAdmin && user.isActive) requireOtherAdministrator(user, locked)
  await tx.people.setAdministrator(id, is_admin)
  if (!is_admin) await tx.revocations.denyAdminTokens(id)
  await tx.activity.record(actorOf(principal), {
    action: is_admin ? 'user.promoted' : 'user.demoted',
    targetId: id,
    detail: { email, by },
  })
}

/**
 * Locks a user together with the calling administrator, whose permissions are checked under the
 * lock: if two administrators deactivate each other, the second call fails. An operator has no
 * account.
 */
async function lockUser(
  people: PeopleStore,
  userId: string,
  callerId: string | undefined,
): Promise<LockedPerson> {
  const locked = await people.lock(callerId ? [userId, callerId] : [userId])
  return findLocked(locked, userId, callerId)
}

/** Returns a user of locked ones. Throws unless the caller is still an active administrator. */
function findLocked(
  users: LockedPerson[],
  userId: string,
  callerId: string | undefined,
): LockedPerson {
  const caller = users.find(({ id }) => id === callerId)
  if (callerId && !caller?.isActive) throw userInactive()
  if (callerId && !caller?.isAdmin) throw adminRequired()
  const user = users.find(({ id }) => id === userId)
  if (!user) throw userNotFound()
  return user
}

/** Throws unless another active administrator remains without this one. */
export async function requireAnotherAdministrator(
  people: PeopleStore,
  { id, email }: { id: string; email: string },
): Promise<void> {
  const locked = await people.lockWithAdministrators({ email })
  requireOtherAdministrator({ id, email }, locked)
}

/** Throws unless the locked users include another active administrator. */
function requireOtherAdministrator(
  { id, email }: { id: string; email: string },
  locked: LockedPerson[],
): void {
  const isOther = (user: LockedPerson) => user.id !== id && user.isAdmin && user.isActive
  if (!locked.some(isOther)) throw lastAdministrator(email)
}

/** Creates the error for a change that would leave no active administrator. */
export function lastAdministrator(email: string): ServiceError {
  return new ServiceError(
    reasons.LAST_ADMINISTRATOR,
    `${email} is the last active administrator. Promote another user first.`,
  )
}

/** Returns the events of the actual changes. */
function eventsOf(before: LockedPerson, changes: UserChanges) {
  const after = { ...before, ...changes }
  const events: ('user.updated' | 'user.activated' | 'user.deactivated')[] = []
  if (after.name !== before.name || after.externalId !== before.externalId)
    events.push('user.updated')
  if (after.isActive && !before.isActive) events.push('user.activated')
  if (!after.isActive && before.isActive) events.push('user.deactivated')
  return events
}
