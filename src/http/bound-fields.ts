import type { Request, Response } from 'express'
import type { BoundField, CookieDeclaration } from '../rpc/bound-fields.ts'
import { readCookie } from '../rpc/cookie-header.ts'

type Message = Record<string, unknown>

/** The travelling fields of a request; what its body says of them counts for nothing. */
export function arrivals(request: Request, travellers: BoundField[], message: Message): Message {
  const cookies = request.headers.cookie
  return Object.fromEntries(
    travellers.map(({ field, header, cookie }) => [
      field,
      header ? request.get(header) : cookie && readCookie(cookies, cookieName(cookie, message)),
    ]),
  )
}

/** Sends the travelling fields of a response that are there; an empty cookie is deleted. */
export function writeBoundFields(
  response: Response,
  travellers: BoundField[],
  message: Message,
  secure: boolean,
): void {
  for (const { field, header, cookie } of travellers) {
    const value = message[field]
    if (typeof value !== 'string') continue
    if (header) response.set(header, value)
    if (!cookie) continue
    const { same_site, path = '/', max_age = 0 } = cookie
    response.cookie(cookieName(cookie, message), value, {
      ...{ path, secure, httpOnly: true, encode: String },
      sameSite: same_site === 'SAME_SITE_STRICT' ? 'strict' : 'lax',
      maxAge: value === '' ? 0 : max_age * 1000,
    })
  }
}

/** `login_{state}` names the cookie by another field of the message. */
function cookieName({ name }: CookieDeclaration, message: Message): string {
  return name.replace(/\{(\w+)\}/, (_, field) => String(message[field] ?? ''))
}
