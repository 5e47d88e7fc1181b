import type {
  LinkedAccountResponse,
  ListAccountsRequest,
  ListAccountsResponse,
  UnlinkAccountRequest,
  UnlinkAccountResponse,
} from '../../gen/daikon/v1/users.ts'
import type { ActivityStore } from '../activity/store/activity-store.ts'
import { ServiceError } from '../core/errors.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import { isoTime } from '../database/sql-values.ts'
import { renderAccountMail } from './account-mail.ts'
import type { IdentityDependencies } from './identity-dependencies.ts'
import { mayJoin } from './may-join.ts'
import { originOf } from './providers/generic.ts'
import type { Identity } from './providers/provider.ts'
import { titleOf } from './providers/sign-in-methods.ts'
import { reasons } from './reasons.ts'
import { preventSessions } from './sessions.ts'
import { failure, recordedFailure, type SignInResult, success } from './sign-in-result.ts'
import type { AccountStore, LinkedAccount } from './store/account-store.ts'
import type { BrowserSessionStore } from './store/browser-session-store.ts'
import type { CodeStore } from './store/code-store.ts'
import type { RevocationStore } from './store/revocation-store.ts'
import type { SessionStore } from './store/session-store.ts'
import type { UserStore } from './store/user-store.ts'

/** The stores that resolving and linking an identity changes. */
type LinkStores = {
  accounts: AccountStore
  activity: ActivityStore
  users: UserStore
}

type UnlinkStores = LinkStores & {
  browserSessions: BrowserSessionStore
  codes: CodeStore
  revocations: RevocationStore
  sessions: SessionStore
}

/** Returns whether somebody may sign in whose address no user has. */
type MaySignUp = (email: string) => Promise<boolean>

/** The user to whom an identity belongs, and whether the account was linked before. */
export type ResolvedUser = { id: string; wasLinked: boolean }

/**
 * Returns the user to whom an identity belongs, and locks the user's row until the end of
 * the transaction.
 *
 * The user is found by the linked account (provider, subject), or else by a verified e-mail
 * address. In the latter case, the account is linked, and the user is created if there is none.
 * This is also how an invited user signs in for the first time. An unverified address never links
 * an account, because anyone can enter someone else's address at a provider. `maySignUp` decides
 * whether a user may be created.
 */
export async function resolveUser(
  tx: LinkStores,
  identity: Identity,
  maySignUp: MaySignUp,
): Promise<SignInResult<ResolvedUser>> {
  if (identity.userId) {
    await tx.users.lock(identity.userId)
    return success({ id: identity.userId, wasLinked: true })
  }
  const linkedUserId = await tx.accounts.findUserId(identity)
  if (linkedUserId) {
    await tx.users.lock(linkedUserId)
    // Check again, because the account may have been unlinked before the lock was acquired.
    const isLinked = (await tx.accounts.findUserId(identity)) === linkedUserId
    if (isLinked && !(await acceptsCodes(tx, identity, linkedUserId)))
      return failure('account_conflict')
    if (isLinked) return success({ id: linkedUserId, wasLinked: true })
  }
  if (!identity.email || !identity.emailVerified)
    return failure(identity.emailProblem ?? 'email_not_verified')
  const isClosed =
    !(await maySignUp(identity.email)) && !(await tx.users.findByEmail(identity.email))
  if (isClosed) return failure('sign_up_closed')
  const linked = await linkByEmail(tx, identity, identity.email)
  return linked.ok ? success({ id: linked.value, wasLinked: false }) : linked
}

/**
 * Whether codes sign the user in, if it is an account of codes: it is worth nothing once the user has another
 * address, or has turned codes off.
 */
async function acceptsCodes(
  { users }: LinkStores,
  { provider, subject }: Identity,
  userId: string,
): Promise<boolean> {
  if (provider !== 'email') return true
  const { email, emailSignIn } = await users.requireProfile(userId)
  return email === subject && emailSignIn
}

/** Links the account to the user with this address, unless the user's other accounts prevent it. */
async function linkByEmail(
  tx: LinkStores,
  identity: Identity,
  email: string,
): Promise<SignInResult<string>> {
  const { provider, subject, hostedDomain = '' } = identity
  const userId = await tx.users.ensure(email)
  // Lock the user. If two accounts with the same address sign in concurrently, the second then sees
  // the first one's link.
  const { isActive } = await tx.users.lock(userId)
  // A directory may have given the user another address before the lock was acquired.
  if ((await tx.users.findByEmail(email))?.id !== userId) return linkByEmail(tx, identity, email)
  if (!isActive) return failure('user_inactive')
  const accounts = await tx.accounts.list(userId)
  if (accounts.some((other) => other.provider === provider && other.subject === subject))
    return success(userId)
  const detail = { provider, subject }
  if (!mayJoin(identity, email, accounts) || !(await acceptsCodes(tx, identity, userId))) {
    const refusal = { action: 'user.link_refused', targetId: userId, detail } as const
    await tx.activity.record({ actorId: undefined }, refusal)
    return recordedFailure('account_conflict')
  }
  if (!(await tx.accounts.link({ provider, subject, userId, email, hostedDomain }))) {
    // A concurrent sign-in with another address has linked the account to another user.
    const otherUserId = await tx.accounts.findUserId(identity)
    return otherUserId ? success(otherUserId) : failure('account_conflict')
  }
  const link = { action: 'user.account_linked', targetId: userId, detail } as const
  await tx.activity.record({ actorId: userId }, link)
  return success(userId)
}

/**
 * Links an account to a user who has signed in and asked for it, whatever the address of the account.
 * Refuses the account of another user, and a second account of the same provider. The user must be locked.
 */
export async function linkToUser(
  tx: LinkStores,
  userId: string,
  { provider, subject, email = '', hostedDomain = '' }: Identity,
  addedBy: string,
): Promise<SignInResult<{ isNew: boolean }>> {
  const detail = { provider, subject }
  const ownerId = await tx.accounts.findUserId(detail)
  if (ownerId === userId) return success({ isNew: false })
  const accounts = await tx.accounts.list(userId)
  const isFree =
    ownerId === undefined &&
    !accounts.some((other) => originOf(other) === originOf(detail)) &&
    (await tx.accounts.link({ provider, subject, userId, email, hostedDomain, addedBy }))
  const action = isFree ? 'user.account_linked' : 'user.link_refused'
  await tx.activity.record({ actorId: userId }, { action, targetId: userId, detail })
  return isFree ? success({ isNew: true }) : recordedFailure('account_conflict')
}

/** Lists the user's linked accounts, oldest first. */
export async function listAccounts(
  { stores, principal }: RequestContext<{ accounts: AccountStore }>,
  _request: ListAccountsRequest,
): Promise<ListAccountsResponse> {
  const accounts = await stores.accounts.list(requireUser(principal).id)
  return { accounts: accounts.filter(({ provider }) => provider !== 'passkey').map(viewAccount) }
}

/**
 * Unlinks one of the user's accounts, but never the last one. Also ends the sessions that the
 * account may have started: the user's sessions through its provider, except the current one, and
 * the user's admin tokens.
 */
export async function unlinkAccount(
  { stores, principal, now, identity }: RequestContext<UnlinkStores> & WithMethods,
  { account_id }: UnlinkAccountRequest,
): Promise<UnlinkAccountResponse> {
  const { id: userId, token } = requireUser(principal)
  const { provider, email } = await stores.transaction(async (tx) => {
    await preventSessions(tx, now, userId)
    const accounts = await tx.accounts.list(userId)
    const account = accounts.find(({ id }) => id === account_id)
    if (!account || account.provider === 'passkey')
      throw new ServiceError(reasons.ACCOUNT_NOT_FOUND)
    const { provider, subject } = account
    const currentId = await tx.sessions.findIdOfAccessToken(token.id)
    await removeWayIn(tx, now, userId, {
      account,
      accounts,
      sessionProvider: provider,
      currentId,
      isOn: createIsOn(identity),
    })
    await tx.activity.record(
      { actorId: userId },
      { action: 'user.account_unlinked', targetId: userId, detail: { provider, subject } },
    )
    return { provider, email: (await tx.users.requireProfile(userId)).email }
  })
  const { settings } = identity
  const sentence = `An account of ${titleOf(settings, provider)} no longer signs you in, and the sessions that it began have ended.`
  const mail = { subject: 'An account was removed', sentence }
  identity.sendMail(renderAccountMail(email, settings.BASE_URL, mail))
  return {}
}

type WithMethods = {
  identity: Pick<IdentityDependencies, 'providers' | 'sendMail' | 'settings'>
}

/** Returns whether people sign in with a method. */
export function createIsOn({
  providers,
}: Pick<IdentityDependencies, 'providers'>): (method: string) => boolean {
  const names = new Set<string>(providers.keys())
  return (method) => names.has(method)
}

/**
 * Whether a user can sign in with one of these accounts. The account of codes, which exists once the user
 * has used one, counts while they are on.
 */
export function hasWayIn(
  accounts: Pick<LinkedAccount, 'provider'>[],
  isOn: (method: string) => boolean,
  emailSignIn: boolean,
): boolean {
  return accounts.some(({ provider }) => isOn(provider) && (provider !== 'email' || emailSignIn))
}

/** A way in to remove, among all of its user. */
type Removal = {
  account: LinkedAccount
  accounts: LinkedAccount[]
  /** The provider of the sessions that it began, which end. */
  sessionProvider: string
  /** The session of the caller, which goes on. */
  currentId?: string | undefined
  /** Whether people sign in with a method. */
  isOn: (method: string) => boolean
}

/**
 * Removes an account or a passkey of a user, and ends what it began. The user must be locked, so that two
 * removals at once leave one way in.
 *
 * @throws {ServiceError} already_exists if it is the last way in
 */
export async function removeWayIn(
  tx: Omit<UnlinkStores, 'activity' | 'codes'>,
  now: Date,
  userId: string,
  { account, accounts, sessionProvider: provider, currentId, isOn }: Removal,
): Promise<void> {
  const { emailSignIn } = await tx.users.requireProfile(userId)
  const others = accounts.filter(({ id }) => id !== account.id)
  if (!hasWayIn(others, isOn, emailSignIn)) throw new ServiceError(reasons.LAST_ACCOUNT)
  await tx.accounts.unlink(account.id)
  await tx.browserSessions.endOfUser(userId, { provider, exceptSessionId: currentId })
  await tx.sessions.end({ userId, provider }, now, currentId)
  await tx.revocations.denyAdminTokens(userId)
}

function viewAccount({ id, provider, email, createdAt }: LinkedAccount): LinkedAccountResponse {
  return { id, provider, email, linked_at: isoTime(createdAt) }
}
