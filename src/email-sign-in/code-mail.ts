import { escapeHtml } from '../core/escape-html.ts'
import type { Mail } from '../outbound/mail-client.ts'
import { renderMailDocument, smallPrint } from '../outbound/mail-document.ts'
import { displayCode } from './code.ts'

/**
 * Renders the e-mail with a code. It contains no text that anybody chose, and no link. Browsers fill in the
 * code by the last line, for pages of the host alone.
 */
export function renderCodeMail(to: string, code: string, baseUrl: string): Mail {
  const { host, hostname } = new URL(baseUrl)
  const digits = displayCode(code)
  const subject = `${digits} is your sign-in code for ${host}`
  const sentence = `Type this code on the page of ${host} that asked for your address:`
  const warning =
    'Never type this anywhere else, and never share it. Anyone who asks you for it is trying to sign in as you.'
  const terms =
    'The code works in the browser that asked for it, once, within ten minutes. If you did not ask for it, ignore this e-mail: nothing happens without you.'
  const autofill = `@${hostname} #${code}`
  return {
    to,
    subject,
    text: [sentence, `    ${digits}`, warning, terms, autofill].join('\n\n'),
    html: renderMailDocument(subject, 'Your sign-in code', [
      `<p style="margin:0 0 16px">${escapeHtml(sentence)}</p>`,
      `<p style="margin:0 0 16px;font-size:32px;line-height:1.2;font-weight:700;letter-spacing:2px;white-space:nowrap">${digits}</p>`,
      `<p style="margin:0 0 8px"><strong>${escapeHtml(warning)}</strong></p>`,
      `<p style="margin:0 0 16px;${smallPrint}">${escapeHtml(terms)}</p>`,
      `<p style="margin:0;${smallPrint}">${escapeHtml(autofill)}</p>`,
    ]),
  }
}
