import { domainOf } from '../core/email.ts'
import type { Transactional } from '../core/request-context.ts'
import type { Mail } from '../outbound/mail-client.ts'
import { renderAddedAccountMail } from './account-mail.ts'
import { followAddress, renderFormerAddressMail } from './follow-address.ts'
import type {
  IdentityContext,
  IdentityDependencies,
  IdentityStores,
} from './identity-dependencies.ts'
import { type ResolvedUser, resolveUser } from './linked-accounts.ts'
import { linkProvedAddress, renderLinkedAddressMail } from './linked-address.ts'
import { readConnectionId } from './providers/connection.ts'
import type { Identity } from './providers/provider.ts'
import { isAdminMethod } from './providers/sign-in-methods.ts'
import { failure, type SignInFailure, type SignInResult, success } from './sign-in-result.ts'
import type { SignedInUser } from './store/user-store.ts'

/** The context of a sign-in in its transaction. `mailLater` sends an e-mail if the transaction commits. */
export type SignInContext = IdentityContext & { mailLater: (mail: Mail) => void }

/**
 * Runs `work`, which signs a user in, in a transaction. Nothing remains of a failed sign-in but a failure
 * that `work` has recorded. Limits the number of concurrent sign-ins.
 */
export async function inSignInTransaction<Value>(
  context: IdentityContext,
  work: (tx: Transactional<IdentityStores>, context: SignInContext) => Promise<SignInResult<Value>>,
): Promise<SignInResult<Value>> {
  const { stores, identity } = context
  try {
    const { result, mails } = await identity.limitTransactions(() =>
      stores.transaction(async (tx) => {
        const mails: Mail[] = []
        const result = await work(tx, { ...context, mailLater: (mail) => mails.push(mail) })
        if (result.ok || result.isRecorded) return { result, mails }
        throw new RolledBack(result)
      }),
    )
    for (const mail of mails) identity.sendMail(mail)
    return result
  } catch (error) {
    if (error instanceof RolledBack) return error.failure
    throw error
  }
}

/** Rolls the transaction of a failed sign-in back. */
class RolledBack extends Error {
  readonly failure: SignInFailure

  constructor(failure: SignInFailure) {
    super(failure.error)
    this.failure = failure
  }
}

type SignedIn = SignedInUser & Pick<ResolvedUser, 'wasLinked'>

/**
 * Finds or creates the user of an identity, within the transaction `tx`. The caller decides whether
 * the user may sign in, and then calls `recordSignIn`. A sign-in to a client app that is bound to a
 * workspace creates no personal one.
 */
export async function signIn(
  tx: Transactional<IdentityStores>,
  context: SignInContext,
  identity: Identity,
  client?: { workspaceId: string | null },
): Promise<SignInResult<SignedIn>> {
  const connectionId = readConnectionId(identity.provider)
  if (connectionId !== undefined) return signInByConnection(tx, context, identity, connectionId)
  const {
    now,
    identity: { settings },
  } = context
  const resolved = await resolveUser(tx, identity, (email) => maySignUp(settings, tx, email))
  if (!resolved.ok) return resolved
  const verifiedEmail = identity.emailVerified ? identity.email : undefined
  const { id, wasLinked } = resolved.value
  const formerEmail = await followAddress(tx, id, identity)
  if (formerEmail) context.mailLater(renderFormerAddressMail(formerEmail, settings.BASE_URL))
  const isAdminEmail =
    verifiedEmail !== undefined &&
    settings.ADMIN_EMAILS.includes(verifiedEmail) &&
    isAdminMethod(settings, identity.provider)
  const user = await tx.users.updateSignedIn({
    id,
    // An address that has just followed promotes nobody.
    adminEmail: isAdminEmail && !formerEmail ? verifiedEmail : undefined,
    name: identity.name,
    givenName: identity.givenName,
    familyName: identity.familyName,
    avatarUrl: identity.avatarUrl,
  })
  if (!user) return failure('user_inactive')
  if (user.isAdmin && !user.wasAdmin) {
    const detail = { email: user.email, by: 'list' }
    const event = { action: 'user.promoted', targetId: user.id, detail } as const
    await tx.activity.record({ actorId: user.id }, event)
  }
  // The account that signs in must be one that the user had.
  if (identity.links && wasLinked && (await linkProvedAddress(tx, user, identity.links)))
    context.mailLater(renderLinkedAddressMail(user.email, settings.BASE_URL))
  if (!wasLinked && user.hasSignedIn)
    context.mailLater(
      identity.provider === 'email'
        ? renderLinkedAddressMail(user.email, settings.BASE_URL)
        : renderAddedAccountMail(user.email, settings, identity.provider),
    )
  if (settings.PERSONAL_WORKSPACES && !client?.workspaceId)
    await tx.signInWorkspaces.createPersonal(user, now)
  return success({ ...user, wasLinked })
}

/** Returns whether somebody may sign in whose address no user has. */
export async function maySignUp(
  { SIGN_UP, ADMIN_EMAILS }: Pick<IdentityDependencies['settings'], 'SIGN_UP' | 'ADMIN_EMAILS'>,
  { signInConnections }: Pick<IdentityStores, 'signInConnections'>,
  email: string,
): Promise<boolean> {
  if (SIGN_UP === 'open' || ADMIN_EMAILS.includes(email)) return true
  return (await signInConnections.findIdByDomain(domainOf(email))) !== undefined
}

/**
 * Signs a member of the workspace of a connection in. This makes no administrator, creates no personal
 * workspace, and changes no name.
 */
async function signInByConnection(
  tx: IdentityStores,
  context: IdentityContext,
  identity: Identity,
  connectionId: string,
): Promise<SignInResult<SignedIn>> {
  const joined = await tx.signInConnections.join(context, connectionId, identity)
  if (!joined.ok) return joined
  const { userId: id, mayName } = joined.value
  const { name, givenName, familyName, avatarUrl } = identity
  const profile = mayName
    ? { name, givenName, familyName, avatarUrl }
    : { name: '', givenName: '', familyName: '', avatarUrl: '' }
  const user = await tx.users.updateSignedIn({ id, adminEmail: undefined, ...profile })
  return user ? success({ ...user, wasLinked: true }) : failure('user_inactive')
}

/** Records that a user has signed in to a client app or to the admin console. */
export async function recordSignIn(
  tx: IdentityStores,
  { now }: IdentityContext,
  action: 'user.signed_in' | 'admin.signed_in',
  { id }: SignedInUser,
  { provider }: Identity,
): Promise<void> {
  await tx.users.recordSignIn(id, now)
  await tx.activity.record({ actorId: id }, { action, targetId: id, detail: { provider } })
}
