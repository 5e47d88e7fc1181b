import { escapeHtml } from '../core/escape-html.ts'
import type { Mail } from '../outbound/mail-client.ts'
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
  const warning = `Never type this anywhere else, and tell it to nobody: whoever asks for it wants to sign in as you.`
  const terms =
    'The code works in the browser that asked for it, once, within ten minutes. If you did not ask for it, ignore this e-mail: nothing happens without you.'
  const autofill = `@${hostname} #${code}`
  return {
    to,
    subject,
    text: [sentence, `    ${digits}`, warning, terms, autofill].join('\n\n'),
    html: renderHtml({ subject, sentence, digits, warning, terms, autofill }),
  }
}

function renderHtml(parts: Record<string, string>): string {
  const { subject, sentence, digits, warning, terms, autofill } = Object.fromEntries(
    Object.entries(parts).map(([name, text]) => [name, escapeHtml(text)]),
  )
  const font = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif'
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${subject}</title>
</head>
<body style="margin:0;padding:24px;background:#ffffff;color:#111827;${font};font-size:16px;line-height:1.5">
<main style="max-width:520px;margin:0 auto">
<h1 style="font-size:22px;line-height:1.3;margin:0 0 16px">Your sign-in code</h1>
<p style="margin:0 0 16px">${sentence}</p>
<p style="margin:0 0 16px;font-size:32px;line-height:1.2;font-weight:700;letter-spacing:2px;white-space:nowrap">${digits}</p>
<p style="margin:0 0 8px"><strong>${warning}</strong></p>
<p style="margin:0 0 16px;color:#4b5563;font-size:14px">${terms}</p>
<p style="margin:0;color:#4b5563;font-size:14px">${autofill}</p>
</main>
</body>
</html>
`
}
