import { createHash } from 'node:crypto'
import type { ServerResponse } from 'node:http'

/** Somebody to sign in as at the local provider. */
export type LocalPerson = {
  name: string
  email: string
  /** false: no provider vouches for the address. */
  verified?: boolean
  /** Google's `hd`. */
  hostedDomain?: string
}

/** The one application that the local provider knows, at all three of its doors. */
export type LocalClient = { id: string; secret: string; redirectUris: string[] }

/** A person's ids at each provider: made of the address, so that they outlive a restart. */
export function idsOf({ email }: LocalPerson): { sub: string; oid: string; id: number } {
  const hex = createHash('sha256').update(email).digest('hex')
  const oid = [hex.slice(0, 8), hex.slice(8, 12), `4${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`]
  const sub = BigInt(`0x${hex.slice(0, 16)}`)
    .toString()
    .padStart(21, '1')
  return {
    sub,
    oid: [...oid, hex.slice(20, 32)].join('-'),
    id: Number.parseInt(hex.slice(0, 7), 16),
  }
}

/** A page that asks who to be: one button a person, and one that refuses; plain HTML. */
export function sendPicker(response: ServerResponse, title: string, people: LocalPerson[]): void {
  const buttons = people.map(
    ({ name, email }) =>
      `<button name="person" value="${escape(email)}">
        <b>${escape(name)}</b> <span>${escape(email)}</span></button>`,
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
<title>${escape(title)}</title>
<style>
  body { font: 16px/1.5 system-ui; max-width: 26rem; margin: 10vh auto; padding: 0 1rem }
  button { display: block; width: 100%; margin: .5rem 0; padding: .75rem 1rem; font: inherit;
    text-align: left; background: #fff; color: #111; border: 1px solid #bbb; border-radius: .5rem }
  button:hover, button:focus { border-color: #06c }
  span { color: #555 }
</style>
<h1>${escape(title)}</h1>
${body}
</html>
`
}

/** Text as HTML. */
export function escape(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
