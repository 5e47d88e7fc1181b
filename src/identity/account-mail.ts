import { escapeHtml } from '../core/escape-html.ts'
import type { Mail } from '../outbound/mail-client.ts'
import { type MethodSettings, titleOf } from './providers/sign-in-methods.ts'

/** What an e-mail says about a change, and what to do if somebody else made it. */
export type AccountChange = { subject: string; sentence: string; advice?: string }

const usualAdvice =
  'If you did not do this, sign out everywhere on your account page and contact your administrator.'

/** Renders the e-mail to a user whose ways to sign in have changed. */
export function renderAccountMail(
  to: string,
  baseUrl: string,
  { subject, sentence, advice = usualAdvice }: AccountChange,
): Mail {
  const { host } = new URL(baseUrl)
  const title = `${subject} at ${host}`
  return {
    to,
    subject: title,
    text: `${sentence}\n\n${advice}\n`,
    html: `<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n<title>${escapeHtml(title)}</title>\n<p>${escapeHtml(sentence)}</p>\n<p>${advice}</p>\n</html>\n`,
  }
}

/** Renders the e-mail to a user as whom an account of a provider can sign in from now on. */
export function renderAddedAccountMail(
  to: string,
  settings: MethodSettings & { BASE_URL: string },
  provider: string,
): Mail {
  const title = titleOf(settings, provider)
  const sentence = `An account of ${title} was added to yours. You can now sign in with it.`
  return renderAccountMail(to, settings.BASE_URL, { subject: 'An account was added', sentence })
}
