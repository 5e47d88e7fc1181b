import type { ServerResponse } from 'node:http'
import { escapeHtml } from '../core/escape-html.ts'
import type { MockPerson } from './mock-person.ts'

/** Sends the sign-in page of a mock provider, with one button per person and one to deny access. */
export function sendSignInPage(
  response: ServerResponse,
  provider: string,
  people: MockPerson[],
): void {
  const buttons = people.map(
    ({ name, email }) =>
      `<button name="person" value="${escapeHtml(email)}">
        <b>${escapeHtml(name)}</b> <span>${escapeHtml(email)}</span></button>`,
  )
  const body = `<p>This is a mock of ${provider} for development. Choose an account; no password is needed.</p>
    <form method="post">${buttons.join('\n')}
      <button name="person" value="">Deny access</button></form>`
  sendPage(response, 200, `Sign in with ${provider}`, body)
}

/** Sends a page; `body` is HTML. */
export function sendPage(
  response: ServerResponse,
  status: number,
  title: string,
  body: string,
): void {
  response.writeHead(status, pageHeaders).end(renderPage(title, body))
}

export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
}

/** Renders a page; `body` is HTML. */
export function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)}</title>
<style>
  :root { color-scheme: light dark }
  body { font: 16px/1.5 system-ui; max-width: 26rem; margin: 10vh auto; padding: 0 1rem }
  h1 { font-size: 1.5rem; letter-spacing: -.015em }
  button { display: block; width: 100%; margin: .625rem 0; padding: .75rem 1rem; font: inherit;
    text-align: left; background: Field; color: FieldText; border: 1px solid #8886; border-radius: .75rem;
    cursor: pointer }
  button:hover, button:focus-visible { border-color: #1a73e8 }
  span { opacity: .7 }
</style>
<h1>${escapeHtml(title)}</h1>
${body}
</html>
`
}
