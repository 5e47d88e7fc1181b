import { renderAccountMail } from '../identity/account-mail.ts'
import type { Mail } from '../outbound/mail-client.ts'

/** Renders the e-mail to a user whose passkeys have changed. */
export function renderPasskeyMail(
  to: string,
  change: { is: 'added' | 'removed'; name: string },
  baseUrl: string,
): Mail {
  const { host } = new URL(baseUrl)
  return renderAccountMail(
    to,
    baseUrl,
    change.is === 'added'
      ? {
          subject: 'A passkey was added',
          sentence: `The passkey "${change.name}" was added to your account at ${host}. You can now sign in with it.`,
          advice:
            'If you did not add it, remove it, sign out everywhere and contact your administrator.',
        }
      : {
          subject: 'A passkey was removed',
          sentence: `The passkey "${change.name}" was removed from your account at ${host}. It cannot sign you in any more, and what it signed in to has ended.`,
          advice: 'If you did not remove it, contact your administrator.',
        },
  )
}
