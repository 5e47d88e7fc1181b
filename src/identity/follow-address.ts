import type { ActivityStore } from '../activity/store/activity-store.ts'
import { violates } from '../database/database-errors.ts'
import type { Mail } from '../outbound/mail-client.ts'
import type { Identity } from './providers/provider.ts'
import type { UserStore } from './store/user-store.ts'

type AddressStores = { activity: ActivityStore; users: UserStore }

/**
 * Changes the address of a user to the one that the provider of their only linked account has verified.
 * The address remains if somebody else has the new one, or if a directory or a connection knows the user.
 * The user must be locked. Returns the former address if it changed.
 */
export async function followAddress(
  tx: AddressStores & {
    transaction<Result>(work: (tx: AddressStores) => Promise<Result>): Promise<Result>
  },
  userId: string,
  { provider, email, emailVerified }: Identity,
): Promise<string | undefined> {
  if (email === undefined || !emailVerified) return undefined
  const { email: former } = await tx.users.requireProfile(userId)
  if (email === former) return undefined
  // Somebody else may get the address at the same time.
  const isChanged = await tx
    .transaction(({ users }) => users.followAddress(userId, email))
    .catch((error) => {
      if (violates(error, 'unique')) return false
      throw error
    })
  if (!isChanged) return undefined
  const event = { action: 'user.email_changed', targetId: userId, detail: { provider } } as const
  await tx.activity.record({ actorId: userId }, event)
  return former
}

/** Renders the e-mail to the former address of a user. */
export function renderFormerAddressMail(to: string, baseUrl: string): Mail {
  const { host } = new URL(baseUrl)
  const sentence = `The e-mail address of your account at ${host} has changed, because your identity provider has verified another one.`
  const advice =
    'If you did not change it there, secure that account and contact your administrator.'
  return {
    to,
    subject: `Your e-mail address at ${host} has changed`,
    text: `${sentence}\n\n${advice}\n`,
    html: `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>Address changed</title>\n<p>${sentence}</p>\n<p>${advice}</p>\n</html>\n`,
  }
}
