import { escapeHtml } from '../core/escape-html.ts'
import type { Mail } from '../outbound/mail-client.ts'

/** Renders the e-mail to a user whose passkeys have changed. */
export function renderPasskeyMail(
  to: string,
  change: { is: 'added' | 'removed'; name: string },
  baseUrl: string,
): Mail {
  const { host } = new URL(baseUrl)
  const isAdded = change.is === 'added'
  const subject = isAdded ? `A passkey was added at ${host}` : `A passkey was removed at ${host}`
  const what = isAdded
    ? `The passkey "${change.name}" was added to your account at ${host}. You can now sign in with it.`
    : `The passkey "${change.name}" was removed from your account at ${host}. It cannot sign you in any more, and what it signed in to has ended.`
  const advice = isAdded
    ? 'If you did not add it, remove it, sign out everywhere and contact your administrator.'
    : 'If you did not remove it, contact your administrator.'
  return {
    to,
    subject,
    text: `${what}\n\n${advice}\n`,
    html: `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>${subject}</title>\n<p>${escapeHtml(what)}</p>\n<p>${advice}</p>\n</html>\n`,
  }
}
