import type { ActivityStore } from '../activity/store/activity-store.ts'
import type { Mail } from '../outbound/mail-client.ts'
import type { ProvedAddress } from './providers/provider.ts'
import { preventSessions, type SignOutStores } from './sessions.ts'
import type { AccountStore } from './store/account-store.ts'
import type { UserStore } from './store/user-store.ts'

type LinkStores = { accounts: AccountStore; activity: ActivityStore; users: UserStore }

/**
 * Links the address that a user has proved by a code before they signed in with another account, so that
 * codes sign them in from now on. Returns whether it did: the address must be the user's.
 */
export async function linkProvedAddress(
  tx: LinkStores,
  user: { id: string; email: string },
  { provider, subject }: ProvedAddress,
): Promise<boolean> {
  const { emailSignIn } = await tx.users.requireProfile(user.id)
  if (user.email !== subject || !emailSignIn) return false
  const account = { provider, subject, userId: user.id, email: subject, hostedDomain: '' }
  if (!(await tx.accounts.link(account))) return false
  const detail = { provider, subject }
  const event = { action: 'user.account_linked', targetId: user.id, detail } as const
  await tx.activity.record({ actorId: user.id }, event)
  return true
}

/** Renders the e-mail to an address that codes sign its user in by from now on. */
export function renderLinkedAddressMail(to: string, baseUrl: string): Mail {
  const { host } = new URL(baseUrl)
  const sentence = `From now on, you can also sign in at ${host} with codes that are sent to this address.`
  const advice =
    'If you did not ask for this, secure your mailbox and your account, and contact your administrator.'
  return {
    to,
    subject: `Sign-in codes for your account at ${host}`,
    text: `${sentence}\n\n${advice}\n`,
    html: `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Sign-in codes</title>\n<p>${sentence}</p>\n<p>${advice}</p>\n</html>\n`,
  }
}

/**
 * Unlinks an address that a user has no longer, and ends the sessions that codes for it began. Call it in the
 * transaction that has changed the address.
 */
export async function endFormerAddress(
  tx: SignOutStores & { accounts: AccountStore },
  now: Date,
  userId: string,
): Promise<void> {
  const provider = 'email'
  const subject = await tx.accounts.unlinkFormerAddress(userId)
  if (subject === undefined) return
  await preventSessions(tx, now, userId, provider)
  await tx.browserSessions.endOfUser(userId, { provider })
  await tx.sessions.end({ userId, provider }, now)
  await tx.revocations.denyAdminTokens(userId)
  const detail = { provider, subject }
  const event = { action: 'user.account_unlinked', targetId: userId, detail } as const
  await tx.activity.record({ actorId: userId }, event)
}
