import type { EntityManager } from '@mikro-orm/postgresql'
import { LinkedAccount } from '../database/entities/people.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import type { Identity } from './providers/provider.ts'
import { insertLinkedAccount, type SignedInUser, updateSignedInUser } from './queries.ts'
import { failure, type SignInResult, success } from './sign-in-result.ts'
import { ensureUser } from './users.ts'

/**
 * Signs the user of an identity in, within the transaction of `em`.
 *
 * The user is found by the linked account (provider, subject), else by a verified e-mail address. The
 * latter links the account and creates the user if there is none, so it also claims an invitation. An
 * unverified address never links an account: anyone can enter the address of someone else at a
 * provider.
 */
export async function signIn(
  em: EntityManager,
  { now, identity: { createPersonalWorkspace, options } }: IdentityContext,
  identity: Identity,
): Promise<SignInResult<SignedInUser>> {
  const verifiedEmail = identity.emailVerified ? identity.email : undefined
  const userId =
    (await findLinkedUserId(em, identity)) ??
    (verifiedEmail && (await linkAccount(em, identity, verifiedEmail)))
  if (!userId) return failure('email_not_verified')

  const user = await updateSignedInUser(em, {
    id: userId,
    promote: verifiedEmail !== undefined && options.adminEmails.includes(verifiedEmail),
    name: identity.name,
    avatarUrl: identity.avatarUrl,
    now,
  })
  if (!user) return failure('user_inactive')
  if (options.personalWorkspaces) await createPersonalWorkspace(em, user, now)
  return success(user)
}

async function findLinkedUserId(
  em: EntityManager,
  { provider, subject }: Identity,
): Promise<string | undefined> {
  return (await em.findOne(LinkedAccount, { provider, subject }))?.user_id
}

/** Links the account to the user with this address and returns the id of the user it is linked to. */
async function linkAccount(em: EntityManager, identity: Identity, email: string): Promise<string> {
  const { provider, subject, hostedDomain = '' } = identity
  const userId = await ensureUser(em, email)
  await insertLinkedAccount(em, { provider, subject, userId, email, hostedDomain })
  // A concurrent sign-in may have linked the account first.
  return (await em.findOneOrFail(LinkedAccount, { provider, subject })).user_id
}
