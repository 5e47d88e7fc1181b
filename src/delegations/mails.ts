import { type AccountChange, renderAccountMail } from '../identity/account-mail.ts'
import type { Mail } from '../outbound/mail-client.ts'
import type { StoredDelegation } from './store/delegation-store.ts'

/** Renders the e-mail to a user who has let an agent act for them. */
export function renderDelegationMail(
  to: string,
  { agentName, reason, expiresAt }: Pick<StoredDelegation, 'agentName' | 'reason' | 'expiresAt'>,
  workspaceName: string,
  baseUrl: string,
): Mail {
  const end = `${new Date(expiresAt).toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const change: AccountChange = {
    subject: 'An agent may act for you',
    sentence: `You allowed "${agentName}" to act for you in the workspace "${workspaceName}" until ${end}. The reason given: "${reason}"`,
    advice:
      'You can end this on your account page. If you did not allow it, end it there, sign out everywhere and contact your administrator.',
  }
  return renderAccountMail(to, baseUrl, change)
}
