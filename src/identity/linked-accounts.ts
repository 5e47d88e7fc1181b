import type { EntityManager } from '@mikro-orm/postgresql'
import type {
  LinkedAccountResponse,
  ListAccountsRequest,
  ListAccountsResponse,
  UnlinkAccountRequest,
  UnlinkAccountResponse,
} from '../../gen/daikon/v1/users.ts'
import { recordActivity } from '../activity/record-activity.ts'
import { ServiceError } from '../core/errors.ts'
import { type RequestContext, requireUser } from '../core/request-context.ts'
import { LinkedAccount } from '../database/entities/people.ts'
import { isoTime } from '../database/sql-values.ts'
import { inTransaction } from '../database/transaction.ts'
import type { Identity } from './providers/provider.ts'
import {
  denyAdminTokens,
  endBrowserSessionsOf,
  findAccounts,
  findLinkedUserId,
  insertLinkedAccount,
  isActiveUser,
  type LinkedAccountRow,
} from './queries.ts'
import { endSessions } from './refresh-families.ts'
import { findSessionId, preventSessions } from './sessions.ts'
import { failure, type SignInResult, success } from './sign-in-result.ts'
import { ensureUser } from './users.ts'

/**
 * Returns the id of the user to whom an identity belongs, and locks the user's row until the end of
 * the transaction.
 *
 * The user is found by the linked account (provider, subject), or else by a verified e-mail
 * address. In the latter case, the account is linked, and the user is created if there is none.
 * This is also how an invited user signs in for the first time. An unverified address never links
 * an account, because anyone can enter someone else's address at a provider.
 */
export async function resolveUser(
  em: EntityManager,
  identity: Identity,
): Promise<SignInResult<string>> {
  const linkedUserId = await findLinkedUserId(em, identity)
  if (linkedUserId) {
    await isActiveUser(em, linkedUserId, { lock: true })
    // Check again, because the account may have been unlinked before the lock was acquired.
    if ((await findLinkedUserId(em, identity)) === linkedUserId) return success(linkedUserId)
  }
  if (!identity.email || !identity.emailVerified) return failure('email_not_verified')
  return linkByEmail(em, identity, identity.email)
}

/** Links the account to the user with this address, unless the user's other accounts prevent it. */
async function linkByEmail(
  em: EntityManager,
  identity: Identity,
  email: string,
): Promise<SignInResult<string>> {
  const { provider, subject, hostedDomain = '' } = identity
  const userId = await ensureUser(em, email)
  // Lock the user, so that of two accounts with the same address, the second sees the link of the
  // first.
  if (!(await isActiveUser(em, userId, { lock: true }))) return failure('user_inactive')
  const accounts = await findAccounts(em, userId)
  if (accounts.some((other) => other.provider === provider && other.subject === subject))
    return success(userId)
  const detail = { provider, subject }
  if (!mayJoin(identity, email, accounts)) {
    const refusal = { action: 'user.link_refused', targetId: userId, detail } as const
    await recordActivity(em, { actorId: undefined }, refusal)
    return failure('account_conflict')
  }
  if (!(await insertLinkedAccount(em, { provider, subject, userId, email, hostedDomain }))) {
    // A concurrent sign-in with another address has linked the account to another user.
    const otherUserId = await findLinkedUserId(em, identity)
    return otherUserId ? success(otherUserId) : failure('account_conflict')
  }
  const link = { action: 'user.account_linked', targetId: userId, detail } as const
  await recordActivity(em, { actorId: userId }, link)
  return success(userId)
}

/**
 * Returns whether an account may be linked to the user with its address. If the user already has
 * another account at the same provider, it may not, because the address must have changed hands. If
 * the user has accounts at other providers, a Google account may be linked only if Google is
 * authoritative for the address.
 */
function mayJoin(identity: Identity, email: string, accounts: LinkedAccountRow[]): boolean {
  if (accounts.length === 0) return true
  if (accounts.some(({ provider }) => provider === identity.provider)) return false
  return identity.provider !== 'google' || isGoogleAddress(email, identity.hostedDomain)
}

/**
 * Google is authoritative for gmail.com and for the domain of a Workspace account. It verifies
 * other addresses once, but does not notice when they change hands.
 */
function isGoogleAddress(email: string, hostedDomain: string | undefined): boolean {
  const domain = email.slice(email.lastIndexOf('@') + 1)
  return domain === 'gmail.com' || domain === hostedDomain
}

/** Lists the user's linked accounts, oldest first. */
export async function listAccounts(
  { em, principal }: RequestContext,
  _request: ListAccountsRequest,
): Promise<ListAccountsResponse> {
  const accounts = await findAccounts(em, requireUser(principal).id)
  return { accounts: accounts.map(toResponse) }
}

/**
 * Unlinks one of the user's accounts, but never the last one. Also ends the sessions that the
 * account may have started: the user's sessions through its provider, except the current one, and
 * the user's admin tokens.
 */
export async function unlinkAccount(
  { em, principal, now }: RequestContext,
  { account_id }: UnlinkAccountRequest,
): Promise<UnlinkAccountResponse> {
  const { id: userId, token } = requireUser(principal)
  return inTransaction(em, async (em) => {
    await preventSessions(em, now, userId)
    const accounts = await findAccounts(em, userId)
    const account = accounts.find(({ id }) => id === account_id.toLowerCase())
    if (!account) throw new ServiceError('not_found', 'ACCOUNT_NOT_FOUND', 'Account not found')
    if (accounts.length === 1) {
      throw new ServiceError(
        'already_exists',
        'LAST_ACCOUNT',
        'The last linked account cannot be unlinked, because it is the only way to sign in',
      )
    }
    const { id, provider, subject } = account
    await em.nativeDelete(LinkedAccount, { id })
    const currentSessionId = await findSessionId(em, token.id)
    await endBrowserSessionsOf(em, userId, { provider, exceptFamilyId: currentSessionId })
    await endSessions(em, now, { user_id: userId, provider }, currentSessionId)
    await denyAdminTokens(em, userId)
    await recordActivity(
      em,
      { actorId: userId },
      { action: 'user.account_unlinked', targetId: userId, detail: { provider, subject } },
    )
    return {}
  })
}

function toResponse({ id, provider, email, created_at }: LinkedAccountRow): LinkedAccountResponse {
  return { id, provider, email, linked_at: isoTime(created_at) }
}
