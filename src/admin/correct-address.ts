import { actorOf } from '../activity/actor.ts'
import { invalidArgument, ServiceError } from '../core/errors.ts'
import type { Principal } from '../core/request-context.ts'
import { violates } from '../database/database-errors.ts'
import { endFormerAddress } from '../identity/linked-address.ts'
import { type SignOutStores, signOutEverywhere } from '../identity/sessions.ts'
import type { AccountStore } from '../identity/store/account-store.ts'
import type { Mail } from '../outbound/mail-client.ts'
import { reasons } from './reasons.ts'
import type { LockedPerson, PeopleStore } from './store/people-store.ts'

type Correction = { email: string; reason: string | undefined; keepsSignIn: boolean }

/**
 * Changes the address of a locked user. Because another person may have the new one, accounts are unlinked
 * and sessions end, unless the correction keeps them.
 *
 * @throws {ServiceError} if the address is taken or kept by a directory, if a program changes an
 *   administrator's, or if the user has signed in and there is no reason
 */
export async function correctAddress(
  tx: SignOutStores & { accounts: AccountStore; people: PeopleStore },
  principal: Principal,
  now: Date,
  user: LockedPerson,
  { email, reason = '', keepsSignIn }: Correction,
): Promise<void> {
  if (user.isAdmin && principal.managementApp)
    throw new ServiceError(reasons.ADMINISTRATORS_ADDRESS)
  if (user.hasSignedIn && !reason) {
    const message = 'is required, because the user has signed in before'
    throw invalidArgument({ field: 'reason', message })
  }
  const isChanged = await tx.people.changeAddress(user.id, email, !keepsSignIn).catch((error) => {
    throw violates(error, 'unique') ? new ServiceError(reasons.EMAIL_TAKEN) : error
  })
  if (!isChanged) throw new ServiceError(reasons.DIRECTORY_OWNED)
  if (keepsSignIn) await endFormerAddress(tx, now, user.id)
  else await signOutEverywhere(tx, now, user.id)
  await tx.activity.record(actorOf(principal), {
    action: 'user.email_changed',
    targetId: user.id,
    detail: { reason, keep_sign_in: String(keepsSignIn) },
  })
}

/**
 * Renders the e-mails to the former and the current address of a user. Neither contains the other
 * address, which may belong to another person.
 */
export function renderCorrectionMails(former: string, current: string, baseUrl: string): Mail[] {
  const { host } = new URL(baseUrl)
  const subject = `E-mail address of an account at ${host}`
  const render = (to: string, sentence: string): Mail => ({
    to,
    subject,
    text: `${sentence}\n\n${advice}\n`,
    html: `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Address corrected</title>\n<p>${sentence}</p>\n<p>${advice}</p>\n</html>\n`,
  })
  return [
    render(
      former,
      `An administrator has corrected the address of an account at ${host}, which no longer has this one.`,
    ),
    render(
      current,
      `An administrator has corrected the address of an account at ${host}, which now has this one. Sign in with it.`,
    ),
  ]
}

const advice = 'If you did not expect this, contact your administrator.'
