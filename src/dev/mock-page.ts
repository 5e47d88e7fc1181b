import type { ServerResponse } from 'node:http'
import type { LocalPerson } from './mock-person.ts'

/** A page that asks who to be: one button a person, and one that refuses; plain HTML. */
export function sendPicker(response: ServerResponse, title: string, people: LocalPerson[]): void {
  const buttons = people.map(
    ({ name, email }) =>
      `<button name="person" value="${toHtml(email)}">
        <b>${toHtml(name)}</b> <span>${toHtml(email)}</span></button>`,
  )
  const body = `<p>A stand-in for development. Nothing leaves this machine.</p>
    <form method="post">${buttons.join('\n')}
      <button name="person" value="">Refuse</button></form>`
  sendPage(response, 200, `Sign in with ${title}`, body)
}

/** A whole page; `body` is HTML. */
export function sendPage(response: ServerResponse, status: number, title: string, body: string) {
  response.writeHead(status, pageHeaders).end(renderPage(title, body))
}

/** The headers of every page of the local provider. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy':
    "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'cache-control': 'no-store',
}

/** A page's text; `body` is HTML. */
export function renderPage(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${toHtml(title)}</title>
<style>
  body { font: 16px/1.5 system-ui; max-width: 26rem; margin: 10vh auto; padding: 0 1rem }
  button { display: block; width: 100%; margin: .5rem 0; padding: .75rem 1rem; font: inherit;
    text-align: left; background: #fff; color: #111; border: 1px solid #bbb; border-radius: .5rem }
  button:hover, button:focus { border-color: #06c }
  span { color: #555 }
  code { overflow-wrap: anywhere; font-size: .75rem }
</style>
<h1>${toHtml(title)}</h1>
${body}
</html>
`
}

/** Text as HTML. */
export function toHtml(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
