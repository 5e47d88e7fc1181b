import { escapeHtml } from '../core/escape-html.ts'

const font = 'font-family:system-ui,-apple-system,Segoe UI,Roboto,sans-serif'

/** The style of small print in an e-mail. */
export const smallPrint = 'color:#4b5563;font-size:14px'

/** Renders the HTML of an e-mail. `content` is HTML; the styles are inline because some mailboxes drop others. */
export function renderMailDocument(title: string, heading: string, content: string[]): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
</head>
<body style="margin:0;padding:24px;background:#ffffff;color:#111827;${font};font-size:16px;line-height:1.5">
<main style="max-width:520px;margin:0 auto">
<h1 style="font-size:22px;line-height:1.3;margin:0 0 16px">${escapeHtml(heading)}</h1>
${content.join('\n')}
</main>
</body>
</html>
`
}
