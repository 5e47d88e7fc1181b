import type { EntityManager } from '@mikro-orm/postgresql'
import { recordActivity } from '../activity/record-activity.ts'
import { inTransaction } from '../database/transaction.ts'
import type { IdentityContext } from './identity-dependencies.ts'
import { resolveUser } from './linked-accounts.ts'
import type { Identity } from './providers/provider.ts'
import { type SignedInUser, updateSignedInUser } from './queries.ts'
import { failure, type SignInResult, success } from './sign-in-result.ts'

/** Runs `work`, which signs a user in, in a transaction. Limits how many of these run at once. */
export function inSignInTransaction<Result>(
  { em, identity }: IdentityContext,
  work: (em: EntityManager) => Promise<Result>,
): Promise<Result> {
  return identity.limitTransactions(() => inTransaction(em, work))
}

/** Signs in the user of an identity, within the transaction of `em`. */
export async function signIn(
  em: EntityManager,
  { now, identity: { createPersonalWorkspace, options } }: IdentityContext,
  identity: Identity,
): Promise<SignInResult<SignedInUser>> {
  const resolved = await resolveUser(em, identity)
  if (!resolved.ok) return resolved
  const verifiedEmail = identity.emailVerified ? identity.email : undefined
  const isAdminEmail = verifiedEmail !== undefined && options.adminEmails.includes(verifiedEmail)
  const user = await updateSignedInUser(em, {
    id: resolved.value,
    adminEmail: isAdminEmail ? verifiedEmail : undefined,
    name: identity.name,
    avatarUrl: identity.avatarUrl,
    now,
  })
  if (!user) return failure('user_inactive')
  if (user.isAdmin && !user.wasAdmin) {
    const detail = { email: user.email, by: 'list' }
    const event = { action: 'user.promoted', targetId: user.id, detail } as const
    await recordActivity(em, { actorId: user.id }, event)
  }
  if (options.personalWorkspaces) await createPersonalWorkspace(em, user, now)
  return success(user)
}
