import type { SetEmailSignInRequest, SetEmailSignInResponse } from '../../gen/daikon/v1/users.ts'
import { ServiceError } from '../core/errors.ts'
import { requireUser } from '../core/request-context.ts'
import { renderAccountMail } from '../identity/account-mail.ts'
import type { IdentityContext } from '../identity/identity-dependencies.ts'
import { createIsOn, hasWayIn } from '../identity/linked-accounts.ts'
import { reasons } from '../identity/reasons.ts'

/** Turns codes by e-mail on or off for the user. They stay on if they are the only way to sign in. */
export async function setEmailSignIn(
  { stores, principal, identity }: IdentityContext,
  { enabled }: SetEmailSignInRequest,
): Promise<SetEmailSignInResponse> {
  const { id: userId } = requireUser(principal)
  const email = await stores.transaction(async (tx) => {
    await tx.users.lock(userId)
    const profile = await tx.users.requireProfile(userId)
    if (profile.emailSignIn === enabled) return undefined
    const accounts = await tx.accounts.list(userId)
    if (!enabled && !hasWayIn(accounts, createIsOn(identity), false))
      throw new ServiceError(reasons.LAST_ACCOUNT)
    await tx.users.setEmailSignIn(userId, enabled)
    const event = {
      action: 'user.email_sign_in_changed',
      targetId: userId,
      detail: { enabled: String(enabled) },
    } as const
    await tx.activity.record({ actorId: userId }, event)
    return profile.email
  })
  if (email !== undefined) {
    const subject = enabled ? 'Codes by e-mail were turned on' : 'Codes by e-mail were turned off'
    const sentence = enabled
      ? 'You can sign in to your account with codes that are sent to this address.'
      : 'Codes that are sent to this address no longer sign you in to your account.'
    identity.sendMail(renderAccountMail(email, identity.settings.BASE_URL, { subject, sentence }))
  }
  return { enabled }
}
